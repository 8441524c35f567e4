#include "generator/gpu/gpu_channels.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

/* Shares of more places than these are not promised one by one. */
enum { MOST_PROMISED = 4, METRIC_BYTES = 48 };

uint64_t gpu_channels_period(const struct gpu_plan *plan)
{
    return plan->channels == 0 ? 1 : plan->machine->gpu.interleave * plan->machine->gpu.l2_channels;
}

enum status gpu_channels_read(struct gpu_plan *plan, struct error *error)
{
    const json_t *list = json_object_get(plan->kernel->place, "l2_channels");
    const struct gpu *gpu = &plan->machine->gpu;
    plan->channels = (unsigned)json_array_size(list);
    if (plan->channels == 0)
        return STATUS_OK;
    if (gpu->l2_channels == 0)
        return error_set(
            error, STATUS_RECIPE,
            "place.l2_channels: the machine %s does not tell how addresses spread over its L2; expected "
            "gpu.l2_channels and gpu.interleave in its file",
            plan->machine->name);
    plan->first_channel = (unsigned)json_integer_value(json_array_get(list, 0));
    for (unsigned i = 0; i < plan->channels; i++) {
        json_int_t channel = json_integer_value(json_array_get(list, i));
        if (channel != (json_int_t)plan->first_channel + i)
            return error_set(error, STATUS_RECIPE,
                             "place.l2_channels has %lld after %lld: expected neighbours, in order",
                             (long long)channel, (long long)plan->first_channel + i - 1);
        if (channel >= (json_int_t)gpu->l2_channels)
            return error_set(error, STATUS_RECIPE, "place.l2_channels names %lld: the machine %s has 0 to %u",
                             (long long)channel, plan->machine->name, gpu->l2_channels - 1);
    }
    return STATUS_OK;
}

enum status gpu_channels_spread(const struct gpu_plan *plan, struct gpu_stream *stream, struct error *error)
{
    uint64_t dense = plan->channels * plan->machine->gpu.interleave;
    uint64_t span = stream->lane * (plan->threads - 1) + stream->width;
    char has[32], row[32];
    stream->dense = stream->apart = 0;
    if (plan->channels == 0 || stream->level < GPU_L2)
        return STATUS_OK;
    if (span > dense || stream->step > dense || dense % stream->step != 0)
        return error_set(
            error, STATUS_RECIPE,
            "%s: one access of a block is %s, and %u channels have %s side by side; expected threads and "
            "lanes whose row divides that",
            plan->kernel->items[stream->item].base.op,
            units_format_size(span > stream->step ? span : stream->step, row, sizeof row), plan->channels,
            units_format_size(dense, has, sizeof has));
    stream->dense = dense;
    stream->apart = gpu_channels_period(plan);
    if (stream->chase)
        stream->step = stream->apart; /* from ring word to ring word in the same channel */
    return STATUS_OK;
}

/* ---- promises ---- */

static void promise(struct gpu_plan *plan, double value, const char *metric)
{
    if (plan->targets.count == GPU_RATES || plan->expected.count == GPU_RATES)
        return;
    plan->targets.items[plan->targets.count++] = (struct gpu_rate){metric, value};
    plan->expected.items[plan->expected.count++] = (struct gpu_rate){metric, value};
}

static void promise_shares(struct gpu_plan *plan, const char *key, const char *what)
{
    const json_t *list = json_object_get(plan->kernel->place, key);
    size_t count = json_array_size(list);
    for (size_t i = 0; count <= MOST_PROMISED && i < count; i++) {
        char *metric = arena_alloc(&plan->arena, METRIC_BYTES, 1);
        snprintf(metric, METRIC_BYTES, "%s%u.share", what,
                 (unsigned)json_integer_value(json_array_get(list, i)));
        promise(plan, 1.0 / (double)count, metric);
    }
}

/* How many of the chosen channels are near the shader engine. */
static unsigned near_channels(const struct gpu_plan *plan, const json_t *quadrant)
{
    unsigned near = 0;
    for (size_t i = 0; i < json_array_size(quadrant); i++) {
        json_int_t channel = json_integer_value(json_array_get(quadrant, i));
        near += channel >= (json_int_t)plan->first_channel &&
                channel < (json_int_t)(plan->first_channel + plan->channels);
    }
    return near;
}

void gpu_channels_promise(struct gpu_plan *plan)
{
    const json_t *engines = json_object_get(plan->kernel->place, "se");
    const json_t *gpu = json_object_get(plan->machine->document, "gpu");
    const json_t *quadrants = json_object_get(gpu, "quadrants");
    promise_shares(plan, "se", "place.se");
    promise_shares(plan, "cu", "place.cu");
    promise_shares(plan, "sm", "place.sm");
    bool past = plan->loads[GPU_L2] + plan->loads[GPU_MEM] > 0;
    if (plan->channels == 0 || !past)
        return;
    promise_shares(plan, "l2_channels", "l2.channel");
    size_t engine = (size_t)json_integer_value(json_array_get(engines, 0));
    if (json_array_size(engines) == 1 && engine < json_array_size(quadrants))
        promise(plan, 1 - (double)near_channels(plan, json_array_get(quadrants, engine)) / plan->channels,
                "l2.far_share");
}
