/* Asynchronous copies: their places in shared memory, and the waits for them. */
#include "generator/emit/gpu_emission.h"
#include "generator/kernel/operations.h"
#include "generator/plan/gpu/gpu_async.h"

#include <inttypes.h>

static enum status put(struct gpu_emission *emission, const char *name, struct buffer *output)
{
    const struct form *form = operation_row(emission->templates, emission->plan->machine, name);
    if (form == NULL)
        return error_set(emission->error, STATUS_RECIPE,
                         "load.source: the templates of %s have no row %s for %s",
                         emission->templates->isa->name, name, emission->plan->machine->gpu.arch);
    return gpu_put_row(emission, form, output);
}

static void bind_ring(struct gpu_emission *emission, const char *name, unsigned item)
{
    gpu_bind_register(emission, name, "ring", item);
}

/* ---- bulk copies ---- */

static void bind_phase(struct gpu_emission *emission, unsigned item, unsigned stage)
{
    gpu_bind_register(emission, "bulk", "bulk", item);
    bindings_set(&emission->bindings, "phase", "%" PRIu64, gpu_ring_phase(emission->plan, item, stage));
}

/* Appends the wait of all threads for the copies of the unit. */
static enum status put_phase_wait(struct gpu_emission *emission, unsigned item, int unit,
                                  struct buffer *output)
{
    unsigned stages = emission->plan->rings[item].stages;
    unsigned parity = gpu_ring_parity(emission->plan, item, unit);
    bind_phase(emission, item, gpu_ring_stage(emission->plan, item, (unsigned)(unit + (int)stages)));
    bindings_set(&emission->bindings, "parity", "%u", parity);
    bindings_set(&emission->bindings, "wait", "%u", emission->waits++);
    return bindings_section(&emission->bindings, "bulk.wait", output);
}

/* Before the first copy of a unit: appends the start of the stage's phase, once no thread needs the data that
 * the copies overwrite. */
static enum status put_phase_begin(struct gpu_emission *emission, unsigned item, unsigned unit,
                                   struct buffer *output)
{
    const struct gpu_ring *ring = &emission->plan->rings[item];
    enum status status = STATUS_OK;
    if (!ring->read)
        status = put_phase_wait(emission, item, (int)unit - (int)ring->stages, output);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "bulk.meet", output);
    bind_phase(emission, item, gpu_ring_stage(emission->plan, item, unit));
    bindings_set(&emission->bindings, "bytes", "%" PRIu64,
                 ring->copies * gpu_ring_step(emission->plan, item));
    return status == STATUS_OK ? put(emission, "bulk.expect", output) : status;
}

static enum status begin_bulk(struct gpu_emission *emission, unsigned item, unsigned number,
                              struct buffer *output)
{
    const struct gpu_ring *ring = &emission->plan->rings[item];
    unsigned unit = number / ring->copies;
    bindings_set(&emission->bindings, "size", "%" PRIu64, gpu_ring_step(emission->plan, item));
    bind_phase(emission, item, gpu_ring_stage(emission->plan, item, unit));
    return number % ring->copies == 0 ? put_phase_begin(emission, item, unit, output) : STATUS_OK;
}

/* Appends the initialization of a bulk load's ring and mbarriers, and the wait for all its copies. */
static enum status emit_phases(struct gpu_emission *emission, unsigned item, bool first, struct buffer *start,
                               struct buffer *drain)
{
    const struct gpu_ring *ring = &emission->plan->rings[item];
    enum status status = STATUS_OK;
    if (first)
        status = bindings_section(&emission->bindings, "bulk.lead", start);
    gpu_bind_register(emission, "bulk", "bulk", item);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "bulk.start", start);
    for (unsigned stage = 0; status == STATUS_OK && stage < ring->stages; stage++) {
        bind_phase(emission, item, stage);
        status = bindings_section(&emission->bindings, "bulk.phase", start);
        /* The last unit of each stage ends with the parity that units before the pass have; a chase has
         * already waited. */
        if (status == STATUS_OK && emission->plan->kernel->items[item].address != ADDRESS_CHASE)
            status = put_phase_wait(emission, item, (int)stage - (int)ring->stages, drain);
    }
    return status == STATUS_OK ? bindings_section(&emission->bindings, "bulk.ready", start) : status;
}

enum status gpu_emit_rings(struct gpu_emission *emission, struct buffer *start, struct buffer *drain)
{
    static const char *const zeros[] = {"0", "{0, 0}", "{0, 0, 0, 0}"};
    static const char *const vectors[] = {"", ".v2", ".v4"};
    const struct gpu_plan *plan = emission->plan;
    enum status status = STATUS_OK;
    bool bulk = false, grouped = false;
    for (unsigned item = 0; status == STATUS_OK && item < plan->kernel->count; item++) {
        if (plan->rings[item].copies == 0)
            continue;
        unsigned width = plan->kernel->items[item].width;
        unsigned form = width == 4 ? 0 : width == 8 ? 1 : 2;
        bind_ring(emission, "ring", item);
        bindings_set(&emission->bindings, "index", "%u", item);
        bindings_set(&emission->bindings, "width", "%u", width);
        bindings_set(&emission->bindings, "offset", "%" PRIu64, plan->rings[item].offset);
        bindings_set(&emission->bindings, "step", "%" PRIu64, gpu_ring_step(plan, item));
        bindings_set(&emission->bindings, "region", "%" PRIu64, gpu_ring_bytes(plan, item));
        bindings_set(&emission->bindings, "vector", "%s", vectors[form]);
        bindings_set(&emission->bindings, "zeros", "%s", zeros[form]);
        status = bindings_section(&emission->bindings, "ring.start", start);
        if (status == STATUS_OK && plan->rings[item].bulk)
            status = emit_phases(emission, item, !bulk, start, drain);
        bulk = bulk || plan->rings[item].bulk;
        grouped = grouped || !plan->rings[item].bulk;
    }
    return status == STATUS_OK && grouped ? bindings_section(&emission->bindings, "ring.drain", drain)
                                          : status;
}

enum status gpu_emit_outgoing(struct gpu_emission *emission, struct buffer *start, struct buffer *drain)
{
    const struct gpu_plan *plan = emission->plan;
    unsigned width = 0;
    bool leads = false;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        leads = leads || (stream->bulk && !stream->store);
        width = stream->bulk && stream->store && stream->width > width ? stream->width : width;
    }
    if (width == 0)
        return STATUS_OK;
    bindings_set(&emission->bindings, "offset", "%" PRIu64, plan->outgoing);
    bindings_set(&emission->bindings, "width", "%u", width);
    bindings_set(&emission->bindings, "vector", "%s", width == 4 ? "" : width == 8 ? ".v2" : ".v4");
    gpu_bind_register(emission, "outgoing",
                      width == 4   ? "k"
                      : width == 8 ? "stored_2"
                                   : "stored_4",
                      width == 4 ? 3 : 0);
    enum status status = leads ? STATUS_OK : bindings_section(&emission->bindings, "bulk.lead", start);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "put.start", start);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "put.drain", drain) : status;
}

static enum status put_wait(struct gpu_emission *emission, unsigned item, struct buffer *output)
{
    bindings_set(&emission->bindings, "pending", "%u", emission->plan->rings[item].pending);
    return put(emission, "group.wait", output);
}

enum status gpu_copies_commit(struct gpu_emission *emission, struct buffer *output)
{
    enum status status = STATUS_OK;
    if (emission->open)
        status = put(emission, "group.commit", output);
    if (status == STATUS_OK && emission->put)
        status = put(emission, "bulk.commit", output);
    emission->open = emission->put = false;
    return status;
}

enum status gpu_copy_begin(struct gpu_emission *emission, const struct gpu_stream *stream,
                           struct buffer *output)
{
    const struct gpu_ring *ring = &emission->plan->rings[stream->item];
    unsigned number = emission->copied[stream->item]++;
    uint64_t at = gpu_ring_copied(emission->plan, stream->item, number);
    bind_ring(emission, "ring", stream->item);
    bindings_set(&emission->bindings, "place", at == 0 ? "%s" : "%s%" PRIu64, at == 0 ? "" : "+", at);
    if (ring->bulk)
        return begin_bulk(emission, stream->item, number, output);
    emission->open = true;
    return ring->read || number % ring->copies != 0 ? STATUS_OK : put_wait(emission, stream->item, output);
}

enum status gpu_copy_follow(struct gpu_emission *emission, const struct gpu_stream *stream,
                            struct buffer *output)
{
    unsigned number = emission->copied[stream->item] - 1;
    enum status status = put_phase_wait(emission, stream->item, (int)number, output);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "bulk.follow", output) : status;
}

enum status gpu_copy_read(struct gpu_emission *emission, unsigned unit, unsigned *reads,
                          struct buffer *output)
{
    *reads = 0;
    if (emission->staged < 0)
        return STATUS_OK;
    unsigned item = (unsigned)emission->staged;
    uint64_t at = gpu_ring_read(emission->plan, item, unit);
    emission->staged = -1;
    *reads = emission->plan->kernel->items[item].width;
    bind_ring(emission, "stream", item);
    bindings_set(&emission->bindings, "disp", at == 0 ? "%s" : "%s%" PRIu64, at == 0 ? "" : "+", at);
    const struct gpu_ring *ring = &emission->plan->rings[item];
    if (ring->bulk)
        return put_phase_wait(emission, item, (int)unit - (int)ring->stages + 1, output);
    enum status status = gpu_copies_commit(emission, output);
    return status == STATUS_OK ? put_wait(emission, item, output) : status;
}
