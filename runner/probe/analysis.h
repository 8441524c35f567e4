/* Analyses curves: plateaus and the steps between them, knees, ways from conflicts, undisturbed samples. Pure
 * functions of numbers; measures nothing. */
#ifndef RUNNER_PROBE_ANALYSIS_H
#define RUNNER_PROBE_ANALYSIS_H

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* One point of a curve: cycles at a size (bytes, lines, pages). */
struct probe_point {
    double size;
    struct interval cycles;
    struct interval ns;
    bool disturbed; /* whenever it was measured */
};

/* A stretch of a curve with nearly constant cycles: points first to last. */
struct probe_plateau {
    size_t first, last;
    double cycles; /* the median of its points */
};

enum { PLATEAUS_MOST = 16 };

/* A sample of a loop between two of the clock, a chain of one cycle each; all in ticks. */
struct probe_sample {
    double loop;          /* per thing */
    double before, after; /* per cycle */
};

/* The fastest samples that agree: the median of those within half a per cent above the least one that has a
 * tenth of all, and three, in that reach. Others only delay a loop, and delays differ; a single sample that
 * is faster still is no clock's. 0 when there are none. */
double probe_fastest(const double *samples, size_t count);

/* At least a quarter of a per cent to each side, by which quiet runs differ as pages and the clock's ticks
 * fall. */
struct interval probe_of_runs(struct interval interval);

/* Whether the second clock, in ticks per cycle, is slower than the first, by more than readings differ. */
bool probe_is_slower(double clock, double other);

/* The samples that nothing disturbed: both readings of the clock beside them agree with the fastest ones, as
 * they do not when others take the core, or share it, or its frequency changes. Writes the loop's cycles and
 * returns their number; *clock: ticks per cycle. A reading shorter than a cycle's true time would be the only
 * one to make a loop appear too fast. */
size_t probe_undisturbed(const struct probe_sample *samples, size_t count, double *clock, double *cycles);

/* Median and bootstrap interval of the undisturbed samples. Disturbances only lengthen a loop: samples far
 * above the lower quartile are excluded, and *dropped counts them. */
struct interval probe_quiet(const double *samples, size_t count, size_t *dropped);

/* The plateaus of a curve sorted by size, at most `wanted` (up to PLATEAUS_MOST); of more, those that differ
 * least from a neighbour are dropped. Neighbours that differ by less than a third are merged. Returns their
 * number. */
size_t probe_plateaus(const struct probe_point *points, size_t count, size_t wanted,
                      struct probe_plateau *plateaus);

/* The capacity of the level that serves plateau a, before plateau b: the size at a quarter of the rise from a
 * to b; low: at a tenth, or the last point before; high: at a half, or the next point. */
struct interval probe_capacity(const struct probe_point *points, const struct probe_plateau *a,
                               const struct probe_plateau *b);

/* The number of lines that a set holds: cycles[i] is the time of a load in a walk over i + 1 lines of one
 * set. 0 when the time does not rise. hit: cycles of a load that hits. */
size_t probe_ways(const double *cycles, size_t count, double hit);

/* Ways and the span of one way from ways[i], the most lines found at a distance of stride << i: constant once
 * the distance is a whole multiple of a way. False when they never settle. */
bool probe_way_span(const size_t *ways, size_t count, size_t stride, size_t *found, size_t *span);

/* A step that two curves share at the same size, within a fifth: index of the plateau before it in a. Of
 * several, the one with the largest rise on the curve where it rises less; -1 when there is none. */
int probe_common_step(const struct probe_point *points_a, const struct probe_plateau *a, size_t count_a,
                      const struct probe_point *points_b, const struct probe_plateau *b, size_t count_b);

/* ---- knees (knee.c): sizes beyond which a curve that was level rises and stays up ---- */

struct probe_knee {
    struct interval size; /* the largest that fits: at a quarter of the rise; from a tenth of it to a half */
    double before, after; /* the curve's levels beside it; after: where it is level again, or has ended */
};

/* The knees of a curve sorted by size, at most `most`; returns their number. A rise counts from the share
 * `least` of the level before it, and from four times what neighbouring points differ by. Disturbed points
 * are passed over; a slope without a corner, and a single point that sticks out, are no knees. */
size_t probe_knees(const struct probe_point *points, size_t count, double least, struct probe_knee *knees,
                   size_t most);

/* Whether two measurements found the same: their intervals overlap, or the sizes differ by less than 2 %. */
bool probe_knee_agrees(const struct probe_knee *a, const struct probe_knee *b);

/* The sizes just below a knee and just above it, to a ninth further. */
struct interval probe_below_knee(const struct probe_knee *knee);
struct interval probe_above_knee(const struct probe_knee *knee);

/* Whether points that were measured again, on both sides of the knee, rise by half of what the curve's own do
 * or more. False if either side has no undisturbed one. */
bool probe_knee_stays(const struct probe_knee *knee, const struct probe_point *points, size_t count,
                      const struct probe_point *again, size_t again_count);

/* Whether a knee's interval is narrow enough for a size: a curve that rises over a third of it has no corner.
 */
bool probe_is_corner(const struct interval *size);

#endif
