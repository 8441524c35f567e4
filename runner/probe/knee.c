/* Knees of curves: the rise between two levels, or the corner where a slope begins. */
#include "base/memory.h"
#include "runner/probe/analysis.h"

#include <math.h>
#include <stdlib.h>

/* The least points of a level, the most points of the level before a rise that are used, and the points after
 * it of which MOST_STAY must be above that level. */
enum { LEVEL = 4, NEAR = 10, STAY = 8 };
static const double MOST_STAY = 0.75;

/* The largest relative difference of points of one level. */
static const double FLAT = 0.06;

/* The median of the second differences of normal noise, in deviations: 0.6745 times the root of 6. */
static const double SECOND_DIFFERENCE = 1.652;

struct knee_curve {
    double *x, *y;
    size_t count;
    double noise; /* of neighbouring points, one deviation of a normal distribution */
};

static double level_of(const struct knee_curve *curve, size_t from, size_t to)
{
    return stats_median(curve->y + from, to - from);
}

/* Whether the curve is above the limit at i and two more points, and at most of the following ones. */
static bool rises(const struct knee_curve *curve, size_t i, double limit)
{
    size_t seen = 0, above = 0;
    for (size_t j = i; j < curve->count && j < i + STAY; j++, seen++)
        above += curve->y[j] > limit;
    for (size_t j = i; j < i + 3; j++)
        if (j >= curve->count || !(curve->y[j] > limit))
            return false;
    return (double)above >= MOST_STAY * (double)seen;
}

/* The first point from i on at which a level begins; curve->count: there is none. */
static size_t next_level(const struct knee_curve *curve, size_t i)
{
    for (size_t first = i; first + LEVEL <= curve->count; first++) {
        double least = INFINITY, largest = -INFINITY;
        for (size_t j = first; j < first + LEVEL; j++) {
            least = fmin(least, curve->y[j]);
            largest = fmax(largest, curve->y[j]);
        }
        if (largest - least <= fmax(3 * curve->noise, FLAT * largest))
            return first;
    }
    return curve->count;
}

/* The size at which the curve rises past the limit, from point `from`, which is below it, to `to`. *last: the
 * last point below. */
static double crossing(const struct knee_curve *curve, size_t from, size_t to, double limit, size_t *last)
{
    *last = from;
    for (size_t i = from; i <= to; i++)
        if (curve->y[i] <= limit)
            *last = i;
    if (*last >= to)
        return curve->x[to];
    double low = curve->y[*last], high = curve->y[*last + 1];
    return curve->x[*last] + (limit - low) / (high - low) * (curve->x[*last + 1] - curve->x[*last]);
}

/* The size at which the line through the first points of a slope meets the level before it. The line is the
 * median of all lines through two of the points (Theil and Sen), which ignores a single outlier. */
static double corner(const struct knee_curve *curve, size_t first, size_t to, double base)
{
    double slopes[STAY * STAY] = {0}, starts[STAY] = {0};
    size_t pairs = 0, count = 0;
    size_t end = to < first + STAY ? to + 1 : first + STAY;
    for (size_t i = first; i < end; i++)
        for (size_t j = i + 1; j < end; j++)
            slopes[pairs++] = (curve->y[j] - curve->y[i]) / (curve->x[j] - curve->x[i]);
    double slope = stats_median(slopes, pairs);
    for (size_t i = first; i < end; i++)
        starts[count++] = curve->y[i] - slope * curve->x[i];
    return slope > 0 ? (base - stats_median(starts, count)) / slope : curve->x[first];
}

/* The knee between the level that begins at `from` and the one that begins at `next`, if any; `first`: the
 * first point above the level before. */
static struct probe_knee describe(const struct knee_curve *curve, size_t from, size_t first, size_t next,
                                  double base)
{
    static const double LONG = 1.3; /* a longer rise is a slope, and its size that of its corner */
    struct probe_knee knee = {.before = base};
    size_t to = next < curve->count ? next : curve->count - 1;
    size_t tenth, quarter, half;
    knee.after = next < curve->count ? level_of(curve, next, next + LEVEL) : curve->y[to];
    knee.size.n = to - from + 1;
    if (curve->x[to] > LONG * curve->x[first]) {
        knee.size.low = crossing(curve, from, first, base + 2 * curve->noise, &tenth);
        knee.size.low = curve->x[tenth];
        knee.size.high = curve->x[first];
        knee.size.value = fmin(fmax(corner(curve, first, to, base), knee.size.low), knee.size.high);
        return knee;
    }
    double rise = knee.after - base;
    double low = crossing(curve, from, to, base + fmax(rise / 10, 2 * curve->noise), &tenth);
    knee.size.value = crossing(curve, from, to, base + rise / 4, &quarter);
    knee.size.high = crossing(curve, from, to, base + rise / 2, &half);
    knee.size.low = fmin(fmin(low, curve->x[quarter]), knee.size.value);
    knee.size.high = fmax(knee.size.high, quarter < to ? curve->x[quarter + 1] : curve->x[to]);
    return knee;
}

size_t probe_knees(const struct probe_point *points, size_t count, double least, struct probe_knee *knees,
                   size_t most)
{
    struct knee_curve curve = {.x = memory_zeroed(count + 1, sizeof(double)),
                               .y = memory_zeroed(count + 1, sizeof(double))};
    double *steps = memory_zeroed(count + 1, sizeof *steps);
    for (size_t i = 0; i < count; i++) {
        if (points[i].disturbed)
            continue;
        curve.x[curve.count] = points[i].size;
        curve.y[curve.count++] = points[i].cycles.value;
    }
    for (size_t i = 1; i + 1 < curve.count; i++) /* second differences, as a slope is not noise */
        steps[i - 1] = fabs(curve.y[i - 1] - 2 * curve.y[i] + curve.y[i + 1]);
    curve.noise = curve.count < 3 ? 0 : stats_median(steps, curve.count - 2) / SECOND_DIFFERENCE;
    size_t found = 0, start = 0;
    for (size_t i = LEVEL; found < most && i + 2 < curve.count; i++) {
        size_t from = i > start + NEAR ? i - NEAR : start;
        double base = level_of(&curve, from, i);
        if (!rises(&curve, i, base + fmax(least * base, 4 * curve.noise)))
            continue;
        size_t next = next_level(&curve, i);
        knees[found++] = describe(&curve, from, i, next, base);
        start = next;
        i = next + LEVEL - 1;
    }
    free(steps);
    free(curve.x);
    free(curve.y);
    return found;
}

bool probe_knee_agrees(const struct probe_knee *a, const struct probe_knee *b)
{
    static const double SAME = 0.02;
    bool overlap = a->size.low <= b->size.high && b->size.low <= a->size.high;
    return overlap || fabs(a->size.value - b->size.value) <= SAME * a->size.value;
}

static const double ASIDE = 1.12;

struct interval probe_below_knee(const struct probe_knee *knee)
{
    return (struct interval){.low = floor(knee->size.low / ASIDE), .high = floor(knee->size.low)};
}

struct interval probe_above_knee(const struct probe_knee *knee)
{
    return (struct interval){.low = ceil(knee->size.high), .high = ceil(knee->size.high * ASIDE)};
}

/* The median height of the undisturbed points of these sizes; NAN: there is none. */
static double height_between(const struct probe_point *points, size_t count, struct interval sizes)
{
    double *heights = memory_zeroed(count + 1, sizeof *heights);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (!points[i].disturbed && points[i].size >= sizes.low && points[i].size <= sizes.high)
            heights[found++] = points[i].cycles.value;
    const double height = found == 0 ? NAN : stats_median(heights, found);
    free(heights);
    return height;
}

bool probe_knee_stays(const struct probe_knee *knee, const struct probe_point *points, size_t count,
                      const struct probe_point *again, size_t again_count)
{
    static const double SAME_RISE = 0.5;
    const struct interval below = probe_below_knee(knee), above = probe_above_knee(knee);
    const double rise = height_between(points, count, above) - height_between(points, count, below);
    const double seen = height_between(again, again_count, above) - height_between(again, again_count, below);
    return seen >= SAME_RISE * rise;
}

bool probe_is_corner(const struct interval *size)
{
    static const double WIDEST = 1.35;
    enum { FEW = 4 };
    return size->high <= WIDEST * size->low || size->high - size->low <= FEW;
}
