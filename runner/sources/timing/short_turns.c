#include "runner/sources/timing/short_turns.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static const double QUARTILE = 0.25;
static const double FASTEST = 0.05;
static const double AGREE = 1.1;

static double quartile_of(const size_t *chosen, size_t count, const void *context)
{
    const double *rounds = context;
    double *values = memory_resized(NULL, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = rounds[chosen[i]];
    double quartile = stats_quantile(values, count, QUARTILE);
    free(values);
    return quartile;
}

struct interval short_turns_value(const double *rounds, size_t count, bool *agree)
{
    struct interval interval = stats_bootstrap_rounds(count, quartile_of, rounds);
    *agree = interval.value <= AGREE * stats_quantile(rounds, count, FASTEST);
    if (!*agree)
        interval.low = interval.high = NAN;
    return interval;
}
