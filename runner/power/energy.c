#include "runner/power/energy.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

double window_seconds(struct window window)
{
    return window.to_s - window.from_s;
}

struct window window_trim(struct window window, double share)
{
    double less = share * window_seconds(window);
    return (struct window){window.from_s + less, window.to_s - less};
}

struct window window_part(struct window window, size_t index, size_t count)
{
    double each = window_seconds(window) / (double)count;
    return (struct window){window.from_s + each * (double)index, window.from_s + each * (double)(index + 1)};
}

static bool all_known(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return count > 0;
}

struct interval energy_difference(struct interval more, struct interval less)
{
    double value = more.value - less.value;
    return (struct interval){value, value - hypot(more.value - more.low, less.high - less.value),
                             value + hypot(more.high - more.value, less.value - less.low), more.n};
}

/* The least half width of the interval of a dynamic power or energy, relative to the value. */
static const double LEAST_HALF = 0.005;

static struct interval at_least(struct interval interval, double half)
{
    if (isnan(interval.low))
        return interval; /* there is none */
    return (struct interval){interval.value, fmin(interval.low, interval.value - half),
                             fmax(interval.high, interval.value + half), interval.n};
}

static struct interval widened(struct interval interval, double half)
{
    return half > 0
               ? (struct interval){interval.value,
                                   interval.value - hypot(interval.value - interval.low, half),
                                   interval.value + hypot(interval.high - interval.value, half), interval.n}
               : interval;
}

/* Its interval contains the levels before and after the run. */
static struct interval idle_level(const struct energy_samples *samples)
{
    struct interval idle = stats_repeated(samples->idle_w, samples->idle_count);
    size_t before = samples->idle_before, after = samples->idle_count - before;
    if (before > 0 && after > 0 && isfinite(idle.low)) {
        double first = stats_median(samples->idle_w, before);
        double last = stats_median(samples->idle_w + before, after);
        idle.low = fmin(idle.low, fmin(first, last));
        idle.high = fmax(idle.high, fmax(first, last));
    }
    return widened(idle, samples->level_error_w);
}

/* Joules above the idle level, with the idle level's uncertainty times the duration. */
static struct interval dynamic_energy(const struct energy_samples *samples, struct interval idle)
{
    double *joules = memory_zeroed(samples->count, sizeof *joules);
    double seconds = stats_median(samples->seconds, samples->count);
    for (size_t i = 0; i < samples->count; i++)
        joules[i] = (samples->watts[i] - idle.value) * samples->seconds[i];
    struct interval total = stats_repeated(joules, samples->count);
    free(joules);
    const struct interval none = {0, (idle.low - idle.value) * seconds, (idle.high - idle.value) * seconds,
                                  1};
    total = widened(total, samples->level_error_w * seconds);
    total = energy_difference(total, none);
    return at_least(total, LEAST_HALF * fabs(total.value));
}

bool energy_parts(const struct energy_samples *samples, struct power_parts *parts, bool *idle)
{
    if (!all_known(samples->watts, samples->count) || !all_known(samples->seconds, samples->count))
        return false;
    parts->total_w = widened(stats_repeated(samples->watts, samples->count), samples->level_error_w);
    *idle = all_known(samples->idle_w, samples->idle_count);
    if (!*idle)
        return true;
    parts->static_w = idle_level(samples);
    parts->dynamic_w = energy_difference(parts->total_w, parts->static_w);
    parts->dynamic_w = at_least(parts->dynamic_w, LEAST_HALF * fabs(parts->dynamic_w.value));
    parts->dynamic_j = dynamic_energy(samples, parts->static_w);
    return true;
}
