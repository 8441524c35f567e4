/* What curves tell: plateaus and the places between them, ways from conflicts, samples without what disturbed
 * them. Pure functions of numbers; nothing is measured here. */
#ifndef RUNNER_PROBE_ANALYSIS_H
#define RUNNER_PROBE_ANALYSIS_H

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* One point of a curve: something that grows (bytes, lines, pages) against cycles. */
struct probe_point {
    double size;
    struct interval cycles;
    struct interval ns;
};

/* A stretch of a curve where the cycles hardly change: points first to last. */
struct probe_plateau {
    size_t first, last;
    double cycles; /* the median of its points */
};

enum { PLATEAUS_MOST = 16 };

/* Median and bootstrap interval of the samples that nothing disturbed. What disturbs a loop only makes it
 * longer: samples far above the lower quartile are left out, and *dropped says how many. */
struct interval probe_quiet(const double *samples, size_t count, size_t *dropped);

/* The plateaus of a curve sorted by size, at most `wanted` (to PLATEAUS_MOST) of them: where there are more,
 * those that stand out least from a neighbour are left out. Neighbours that differ by less than a third are
 * one. Gives their number. */
size_t probe_plateaus(const struct probe_point *points, size_t count, size_t wanted,
                      struct probe_plateau *plateaus);

/* How much fits into what serves plateau a before plateau b: the size at which a quarter of the way up from a
 * to b is made; low where a tenth is made, or at the last point before; high at a half, or at the next point.
 */
struct interval probe_capacity(const struct probe_point *points, const struct probe_plateau *a,
                               const struct probe_plateau *b);

/* The most lines that a set holds: cycles[i] is the time of a load when i + 1 lines of one set are walked. 0
 * when the time does not rise. hit: cycles of a load that hits. */
size_t probe_ways(const double *cycles, size_t count, double hit);

/* Ways and the span of one way from ways[i], the most lines found at a distance of stride << i: where the
 * distance is a whole multiple of a way they are the same. False when they never settle. */
bool probe_way_span(const size_t *ways, size_t count, size_t stride, size_t *found, size_t *span);

/* A step that two curves have at the same size, within a fifth: index of the plateau before it in a. Of
 * several the one that rises most, by the curve in which it rises less; -1 when there is none. */
int probe_common_step(const struct probe_point *points_a, const struct probe_plateau *a, size_t count_a,
                      const struct probe_point *points_b, const struct probe_plateau *b, size_t count_b);

#endif
