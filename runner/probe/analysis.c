#include "runner/probe/analysis.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sample longer than the lower quartile by this factor was disturbed. */
static const double DISTURBED = 1.25;

/* The largest ratio of a point to the plateau's first ones, and of plateaus that are one. */
static const double FLAT = 1.12;
static const double SAME = 1.34;
enum { PLATEAU_LEAST = 3 };

/* The least ratio of a cache's step. A branch predictor's curve rises gradually, and a few of its points may
 * agree by chance. */
static const double LEAST_RISE = 1.45;

/* The largest ratio of readings of the clock at one frequency. */
static const double AGREE = 1.005;

bool probe_is_slower(double clock, double other)
{
    return other > clock * AGREE;
}

struct interval probe_of_runs(struct interval interval)
{
    static const double DIFFER = 0.0025;
    interval.low = fmin(interval.low, interval.value * (1 - DIFFER));
    interval.high = fmax(interval.high, interval.value * (1 + DIFFER));
    return interval;
}

double probe_fastest(const double *samples, size_t count)
{
    enum { SHARE = 10, LEAST = 3 };
    size_t needed = count / SHARE > LEAST ? count / SHARE : LEAST;
    double *sorted = memory_resized(NULL, count + 1, sizeof *sorted);
    memcpy(sorted, samples, count * sizeof *sorted);
    stats_sort(sorted, count);
    size_t first = 0;
    for (; first + needed < count; first++)
        if (!probe_is_slower(sorted[first], sorted[first + needed - 1]))
            break;
    if (first + needed > count || probe_is_slower(sorted[first], sorted[first + needed - 1]))
        first = 0; /* none agree */
    size_t last = first;
    while (last + 1 < count && !probe_is_slower(sorted[first], sorted[last + 1]))
        last++;
    double fastest = count == 0 ? 0 : stats_median(sorted + first, last - first + 1);
    free(sorted);
    return fastest;
}

size_t probe_undisturbed(const struct probe_sample *samples, size_t count, double *clock, double *cycles)
{
    double *readings = memory_resized(NULL, 2 * count + 1, sizeof *readings);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        readings[2 * i] = samples[i].before;
        readings[2 * i + 1] = samples[i].after;
    }
    *clock = probe_fastest(readings, 2 * count);
    free(readings);
    for (size_t i = 0; i < count; i++)
        if (!probe_is_slower(*clock, samples[i].before) && !probe_is_slower(*clock, samples[i].after))
            cycles[kept++] = samples[i].loop / *clock;
    return kept;
}

struct interval probe_quiet(const double *samples, size_t count, size_t *dropped)
{
    double limit = stats_quantile(samples, count, 0.25) * DISTURBED;
    double *quiet = memory_zeroed(count + 1, sizeof *quiet);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (samples[i] <= limit)
            quiet[kept++] = samples[i];
    *dropped = count - kept;
    struct interval interval = stats_bootstrap(quiet, kept);
    free(quiet);
    return interval;
}

static double cycles_of(const struct probe_point *points, size_t first, size_t last)
{
    double values[512];
    size_t count = 0;
    for (size_t i = first; i <= last && count < sizeof values / sizeof values[0]; i++)
        values[count++] = points[i].cycles.value;
    return stats_median(values, count);
}

/* The last point of the plateau that begins at first; skips a single deviating point if the next one fits
 * again. */
static size_t grow(const struct probe_point *points, size_t count, size_t first)
{
    size_t last = first;
    for (size_t i = first + 1; i < count; i++) {
        double level = cycles_of(points, first, last);
        double here = points[i].cycles.value;
        if (here <= level * FLAT && here >= level / FLAT)
            last = i;
        else if (i > last + 1)
            break;
    }
    return last;
}

static void join_neighbours(const struct probe_point *points, struct probe_plateau *all, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 1; i < *count; i++) {
        double ratio = all[i].cycles / all[kept].cycles;
        if (ratio < SAME && ratio > 1 / SAME) {
            all[kept].last = all[i].last;
            all[kept].cycles = cycles_of(points, all[kept].first, all[kept].last);
        } else {
            all[++kept] = all[i];
        }
    }
    *count = *count == 0 ? 0 : kept + 1;
}

/* The ratio between a plateau and the nearer of its neighbours. */
static double distinction(const struct probe_plateau *all, size_t count, size_t i)
{
    double below = i > 0 ? all[i].cycles / all[i - 1].cycles : HUGE_VAL;
    double above = i + 1 < count ? all[i + 1].cycles / all[i].cycles : HUGE_VAL;
    return fmin(below, above);
}

/* Of the two closest plateaus, removes the shorter one. */
static void drop_least(struct probe_plateau *all, size_t *count)
{
    size_t least = 0;
    for (size_t i = 1; i < *count; i++) {
        double difference = distinction(all, *count, i) - distinction(all, *count, least);
        size_t length = all[i].last - all[i].first, other = all[least].last - all[least].first;
        if (difference < 0 || (difference == 0 && length < other))
            least = i;
    }
    memmove(&all[least], &all[least + 1], (*count - least - 1) * sizeof *all);
    --*count;
}

size_t probe_plateaus(const struct probe_point *points, size_t count, size_t wanted,
                      struct probe_plateau *plateaus)
{
    struct probe_plateau *all = memory_zeroed(count + 1, sizeof *all);
    size_t found = 0;
    for (size_t first = 0; first < count;) {
        size_t last = grow(points, count, first);
        bool rises = found == 0 || points[first].cycles.value > all[found - 1].cycles / FLAT;
        if (last - first + 1 >= PLATEAU_LEAST && rises)
            all[found++] = (struct probe_plateau){first, last, cycles_of(points, first, last)};
        first = last - first + 1 >= PLATEAU_LEAST ? last + 1 : first + 1;
    }
    join_neighbours(points, all, &found);
    while (found > wanted || found > PLATEAUS_MOST)
        drop_least(all, &found);
    memcpy(plateaus, all, found * sizeof *all);
    free(all);
    return found;
}

/* Interpolates linearly between the last point below the threshold and the next. */
static double crossing(const struct probe_point *points, size_t from, size_t to, double threshold)
{
    size_t below = from;
    for (size_t i = from; i <= to; i++)
        if (points[i].cycles.value < threshold)
            below = i;
    if (below == to)
        return points[to].size;
    double low = points[below].cycles.value;
    double high = points[below + 1].cycles.value;
    double share = high > low ? (threshold - low) / (high - low) : 0;
    return points[below].size + share * (points[below + 1].size - points[below].size);
}

struct interval probe_capacity(const struct probe_point *points, const struct probe_plateau *a,
                               const struct probe_plateau *b)
{
    size_t from = a->first, to = b->last;
    double rise = b->cycles - a->cycles;
    struct interval capacity = {.n = to - from + 1};
    capacity.value = crossing(points, from, to, a->cycles + rise / 4);
    capacity.low = crossing(points, from, to, a->cycles + rise / 10);
    capacity.high = crossing(points, from, to, a->cycles + rise / 2);
    for (size_t i = from; i <= to; i++) {
        if (points[i].size <= capacity.value && points[i + (i < to)].size > capacity.value) {
            capacity.low = fmin(capacity.low, points[i].size);
            capacity.high = fmax(capacity.high, points[i + (i < to)].size);
        }
    }
    return capacity;
}

size_t probe_ways(const double *cycles, size_t count, double hit)
{
    double limit = hit * 1.3;
    size_t ways = 0;
    for (size_t i = 0; i < count; i++)
        if (cycles[i] <= limit)
            ways = i + 1;
    return ways == count ? 0 : ways;
}

bool probe_way_span(const size_t *ways, size_t count, size_t stride, size_t *found, size_t *span)
{
    if (count < 2 || ways[count - 1] == 0 || ways[count - 1] != ways[count - 2])
        return false;
    size_t first = count - 1;
    while (first > 0 && ways[first - 1] == ways[count - 1])
        first--;
    *found = ways[count - 1];
    *span = stride << first;
    return true;
}

int probe_common_step(const struct probe_point *points_a, const struct probe_plateau *a, size_t count_a,
                      const struct probe_point *points_b, const struct probe_plateau *b, size_t count_b)
{
    int best = -1;
    double best_rise = 0;
    for (size_t i = 0; i + 1 < count_a; i++) {
        double size = probe_capacity(points_a, &a[i], &a[i + 1]).value;
        for (size_t j = 0; j + 1 < count_b; j++) {
            double other = probe_capacity(points_b, &b[j], &b[j + 1]).value;
            double rise = fmin(a[i + 1].cycles - a[i].cycles, b[j + 1].cycles - b[j].cycles);
            double ratio = fmin(a[i + 1].cycles / a[i].cycles, b[j + 1].cycles / b[j].cycles);
            if (fabs(other - size) > 0.2 * size || ratio < LEAST_RISE || rise <= best_rise)
                continue;
            best = (int)i;
            best_rise = rise;
        }
    }
    return best;
}
