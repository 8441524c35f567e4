/* Asynchronous copies: where they go in shared memory, and what waits for them. */
#include "generator/emit/gpu_emission.h"
#include "generator/kernel/operations.h"
#include "generator/plan/gpu/gpu_async.h"

#include <inttypes.h>

static enum status put(struct gpu_emission *emission, const char *name, struct buffer *output)
{
    const struct form *form = operation_row(emission->templates, emission->plan->machine, name);
    if (form == NULL)
        return error_set(emission->error, STATUS_RECIPE,
                         "load.source is \"async\": the templates of %s have no row %s for %s",
                         emission->templates->isa->name, name, emission->plan->machine->gpu.arch);
    return gpu_put_row(emission, form, output);
}

static void bind_ring(struct gpu_emission *emission, const char *name, unsigned item)
{
    gpu_bind_register(emission, name, "ring", item);
}

enum status gpu_emit_rings(struct gpu_emission *emission, struct buffer *start, struct buffer *drain)
{
    static const char *const zeros[] = {"0", "{0, 0}", "{0, 0, 0, 0}"};
    static const char *const vectors[] = {"", ".v2", ".v4"};
    const struct gpu_plan *plan = emission->plan;
    enum status status = STATUS_OK;
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
    }
    return status == STATUS_OK ? bindings_section(&emission->bindings, "ring.drain", drain) : status;
}

static enum status put_wait(struct gpu_emission *emission, unsigned item, struct buffer *output)
{
    bindings_set(&emission->bindings, "pending", "%u", emission->plan->rings[item].pending);
    return put(emission, "group.wait", output);
}

enum status gpu_copies_commit(struct gpu_emission *emission, struct buffer *output)
{
    if (!emission->open)
        return STATUS_OK;
    emission->open = false;
    return put(emission, "group.commit", output);
}

enum status gpu_copy_begin(struct gpu_emission *emission, const struct gpu_stream *stream,
                           struct buffer *output)
{
    const struct gpu_ring *ring = &emission->plan->rings[stream->item];
    unsigned number = emission->copied[stream->item]++;
    uint64_t at = gpu_ring_copied(emission->plan, stream->item, number);
    bind_ring(emission, "ring", stream->item);
    bindings_set(&emission->bindings, "place", at == 0 ? "%s" : "%s%" PRIu64, at == 0 ? "" : "+", at);
    emission->open = true;
    return ring->read || number % ring->copies != 0 ? STATUS_OK : put_wait(emission, stream->item, output);
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
    enum status status = gpu_copies_commit(emission, output);
    return status == STATUS_OK ? put_wait(emission, item, output) : status;
}
