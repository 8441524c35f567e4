#include "generator/plan/gpu/gpu_channels.h"

#include "base/units.h"
#include "generator/plan/gpu/gpu_dispatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { METRIC_BYTES = 48 };

uint64_t gpu_channels_period(const struct gpu_plan *plan)
{
    return plan->channels == 0 ? 1 : plan->machine->gpu.interleave * plan->machine->gpu.l2_channels;
}

enum status gpu_channels_read(struct gpu_plan *plan, struct error *error)
{
    const struct place_list *list = &plan->kernel->place.of[PLACE_L2_CHANNELS];
    const struct gpu *gpu = &plan->machine->gpu;
    plan->channels = (unsigned)list->count;
    if (plan->channels == 0)
        return STATUS_OK;
    if (gpu->l2_channels == 0)
        return error_set(error, STATUS_RECIPE,
                         "place.l2_channels: the file of machine %s does not state how addresses map to its "
                         "L2; expected gpu.l2_channels and gpu.interleave",
                         plan->machine->name);
    uint64_t period = gpu_channels_period(plan);
    if (!units_is_power_of_two(period))
        return error_set(
            error, STATUS_RECIPE,
            "place.l2_channels: the %u channels of machine %s repeat every %" PRIu64
            " bytes, which is not a power of two, so the first channel of the data would be arbitrary; "
            "expected a machine whose gpu.l2_channels times gpu.interleave is a power of two",
            gpu->l2_channels, plan->machine->name, period);
    plan->first_channel = (unsigned)list->numbers[0];
    for (unsigned i = 0; i < plan->channels; i++) {
        long long channel = list->numbers[i];
        if (channel != (long long)plan->first_channel + i)
            return error_set(
                error, STATUS_RECIPE,
                "place.l2_channels has %lld after %lld: expected consecutive channels in ascending order",
                channel, (long long)plan->first_channel + i - 1);
        if (channel >= (long long)gpu->l2_channels)
            return error_set(error, STATUS_RECIPE, "place.l2_channels names %lld: the machine %s has 0 to %u",
                             channel, plan->machine->name, gpu->l2_channels - 1);
    }
    return STATUS_OK;
}

/* The largest thread count of a block whose row divides the contiguous bytes of the channels; whole waves if
 * possible; 0: none. */
static uint64_t find_threads(const struct gpu_plan *plan, const struct gpu_stream *stream, uint64_t dense)
{
    const struct gpu *gpu = &plan->machine->gpu;
    uint64_t most = 0;
    for (uint64_t threads = 1; threads <= gpu->block_threads; threads++)
        if (dense % (threads * stream->lane) == 0 &&
            (threads % gpu->wave == 0 || most % gpu->wave != 0 || most == 0))
            most = threads;
    return most;
}

enum status gpu_channels_spread(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error)
{
    uint64_t dense = plan->channels * plan->machine->gpu.interleave;
    uint64_t span = stream->lane * (plan->threads - 1) + stream->width;
    char has[32], row[32];
    stream->dense = stream->apart = 0;
    if (plan->channels > 0 && plan->kernel->items[stream->item].working_set > 0)
        return error_set(error, STATUS_RECIPE,
                         "%s.working_set with place.l2_channels: expected served_by, because accesses past "
                         "L1 must be known to place them in channels",
                         plan->kernel->items[stream->item].op);
    if (plan->channels == 0 || stream->level < GPU_L2)
        return STATUS_OK;
    if (span > dense || stream->step > dense || dense % stream->step != 0) {
        error_set(error, STATUS_RECIPE,
                  "%s: one access of a block spans %s, but %u channels hold %s contiguously; expected "
                  "threads and lanes whose row divides that",
                  plan->kernel->items[stream->item].op,
                  units_format_size(span > stream->step ? span : stream->step, row, sizeof row),
                  plan->channels, units_format_size(dense, has, sizeof has));
        uint64_t threads = find_threads(plan, stream, dense);
        if (threads > 0)
            error_hint(error, "grid = { blocks =, threads = %" PRIu64 " } fits lanes of %" PRIu64 " bytes",
                       threads, stream->lane);
        return STATUS_RECIPE;
    }
    stream->dense = dense;
    stream->apart = gpu_channels_period(plan);
    if (stream->chase)
        stream->step = stream->apart; /* from one word of the working set to the next in the same channel */
    return STATUS_OK;
}

/* Counts the lines of each chosen channel that adjacent rows touch; false if the counts differ. */
static bool is_even(const struct gpu_plan *plan, const struct gpu_stream *stream, uint64_t rows)
{
    const struct machine *machine = plan->machine;
    struct arena arena = {0};
    uint64_t *counts = arena_alloc(&arena, plan->channels, sizeof *counts);
    for (uint64_t row = 0; row < rows; row++) {
        uint64_t next = 0; /* the first line that no thread of the wave has touched */
        for (unsigned t = 0; t < plan->threads; t++) {
            uint64_t first = t * stream->lane / machine->l1d.line;
            uint64_t last = (t * stream->lane + stream->width - 1) / machine->l1d.line;
            next = t % machine->gpu.wave == 0 ? 0 : next;
            for (first = first < next ? next : first; first <= last; first++)
                counts[(row * stream->step % stream->dense + first * machine->l1d.line) /
                       machine->gpu.interleave % plan->channels]++;
            next = last + 1;
        }
    }
    bool even = true;
    for (unsigned i = 1; i < plan->channels; i++)
        even = even && counts[i] == counts[0];
    arena_free(&arena);
    return even;
}

static enum status check_stream(const struct gpu_plan *plan, const struct gpu_stream *stream,
                                struct error *error)
{
    const char *op = plan->kernel->items[stream->item].op;
    uint64_t together = stream->chase ? 1 : stream->dense / stream->step;
    char has[32];
    units_format_size(stream->dense, has, sizeof has);
    if (stream->per_pass % together != 0)
        return error_set(error, STATUS_RECIPE,
                         "%s: the loop's %u accesses are not a multiple of the %" PRIu64
                         " that %u channels hold contiguously, so some channels would serve more; expected "
                         "loop.units that make it one",
                         op, stream->per_pass, together, plan->channels);
    if (is_even(plan, stream, together))
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE,
                     stream->chase ? "%s: a chase stays in the channels of its first row, and one access of "
                                     "a block does not cover the %s that %u channels hold contiguously; "
                                     "expected threads and lanes that cover it, or one channel"
                                   : "%s: the threads of a block access the %s that %u channels hold "
                                     "contiguously unevenly; expected lanes and strides without gaps",
                     op, has, plan->channels);
}

enum status gpu_channels_check(const struct gpu_plan *plan, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->stream_count; i++)
        if (plan->streams[i].dense > 0)
            status = check_stream(plan, &plan->streams[i], error);
    return status;
}

/* ---- promises ---- */

static void promise(struct gpu_plan *plan, bool promised, double value, const char *metric)
{
    if (promised)
        rates_add(&plan->arena, &plan->rates.targets, metric, value);
    rates_add(&plan->arena, &plan->rates.expected, metric, value);
}

static void promise_shares(struct gpu_plan *plan, enum place_field field)
{
    const struct place_list *list = &plan->kernel->place.of[field];
    bool dispatched = field != PLACE_L2_CHANNELS;
    for (size_t i = 0; i < list->count; i++) {
        char *metric = arena_alloc(&plan->arena, METRIC_BYTES, 1);
        unsigned number = (unsigned)list->numbers[i];
        snprintf(metric, METRIC_BYTES, "%s%s%u.share", dispatched ? "place." : "l2.channel",
                 dispatched ? place_fields[field] : "", number);
        promise(plan, !dispatched || gpu_dispatch_even(plan, field),
                dispatched ? gpu_dispatch_share(plan, field, number) : 1.0 / (double)list->count, metric);
    }
}

/* How many of the chosen channels are near the shader engine. */
static unsigned near_channels(const struct gpu_plan *plan, size_t quadrant)
{
    unsigned near = 0;
    for (unsigned i = 0; i < plan->channels; i++)
        near += machine_quadrant_has(plan->machine, quadrant, plan->first_channel + i);
    return near;
}

void gpu_channels_promise(struct gpu_plan *plan)
{
    const struct place_list *engines = &plan->kernel->place.of[PLACE_SE];
    for (unsigned field = PLACE_XCC; field <= PLACE_SM; field++)
        promise_shares(plan, field);
    bool past = plan->loads[GPU_L2] + plan->loads[GPU_L3] + plan->loads[GPU_MEM] > 0;
    if (plan->channels == 0 || !past)
        return;
    promise_shares(plan, PLACE_L2_CHANNELS);
    size_t engine = engines->count == 1 ? (size_t)engines->numbers[0] : SIZE_MAX;
    if (engine < machine_quadrants(plan->machine))
        promise(plan, true, 1 - (double)near_channels(plan, engine) / plan->channels, "l2.far_share");
}
