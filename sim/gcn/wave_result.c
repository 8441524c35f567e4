#include "sim/gcn/wave_result.h"

#include <stdlib.h>

static void subtract(uint64_t *more, const uint64_t *fewer, size_t count)
{
    for (size_t i = 0; i < count; i++)
        more[i] -= fewer[i];
}

static void subtract_report(struct wave_report *more, const struct wave_report *fewer)
{
    uint64_t left = 0;
    subtract(more->loads, fewer->loads, GPU_LEVELS);
    more->stores -= fewer->stores;
    more->atomics -= fewer->atomics;
    for (int level = 0; level < GPU_LEVELS; level++)
        left |= more->loads[level];
    more->worked = left != 0 || more->stores != 0 || more->atomics != 0;
}

void wave_result_subtract(struct wave_result *more, const struct wave_result *fewer)
{
    for (size_t i = 0; i < more->wave_count && i < fewer->wave_count; i++)
        subtract_report(&more->waves[i], &fewer->waves[i]);
    subtract(more->loads, fewer->loads, GPU_LEVELS);
    subtract(more->lines, fewer->lines, GPU_LEVELS);
    more->idle_cycles -= fewer->idle_cycles;
    subtract(more->se_accesses, fewer->se_accesses, WAVE_MOST_SE);
    subtract(more->unit_accesses, fewer->unit_accesses, WAVE_MOST_CUS);
    subtract(more->channels, fewer->channels, WAVE_MOST_CHANNELS);
    more->stored -= fewer->stored;
    more->stores -= fewer->stores;
    more->atomics -= fewer->atomics;
    more->branches -= fewer->branches;
    more->diverged -= fewer->diverged;
    more->halved -= fewer->halved;
    more->near -= fewer->near;
    more->far -= fewer->far;
    more->undetermined -= fewer->undetermined;
    more->leaving -= fewer->leaving;
    more->instructions -= fewer->instructions;
    for (unsigned i = 0; i < BUS_ORDERS; i++)
        bus_subtract(&more->bus[i], &fewer->bus[i]);
}

void wave_result_free(struct wave_result *result)
{
    free(result->waves);
    free(result->tally);
    free(result->loop);
    free(result->around);
    *result = (struct wave_result){0};
}
