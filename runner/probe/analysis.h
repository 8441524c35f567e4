/* Pure functions of numbers that analyse curves and samples: plateaus and the steps between them, knees, ways
 * from conflicts, undisturbed samples. */
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
    bool disturbed; /* every time it was measured */
};

/* A stretch of a curve with nearly constant cycles: points first to last. */
struct probe_plateau {
    size_t first, last;
    double cycles; /* the median of its points */
};

enum { PLATEAUS_MOST = 16 };

/* A sample of a loop, between two readings of the clock: ticks per cycle of a chain of one cycle each. */
struct probe_sample {
    double loop; /* ticks per thing */
    double before, after;
};

/* The fastest samples that agree: the median of those that are at most half a per cent above the least sample
 * with a tenth of all, and at least three, in that range. Other programs only delay a loop, and the delays
 * differ; a single sample that is faster still is an error of the clock. 0 when there are none. */
double probe_fastest(const double *samples, size_t count);

/* Extends the interval to at least a quarter of a per cent to each side, by which quiet runs differ. */
struct interval probe_of_runs(struct interval interval);

/* Whether the second clock, in ticks per cycle, is slower than the first, by more than readings differ. */
bool probe_is_slower(double clock, double other);

/* Selects the undisturbed samples: both readings of the clock beside them agree with the fastest ones. They
 * do not when other programs take or share the core, or its frequency changes. Writes the loop's cycles and
 * returns their number; *clock: ticks per cycle. */
size_t probe_undisturbed(const struct probe_sample *samples, size_t count, double *clock, double *cycles);

/* Median and bootstrap interval of the undisturbed samples. Disturbances only lengthen a loop, so samples far
 * above the lower quartile are excluded; *dropped: their number. */
struct interval probe_quiet(const double *samples, size_t count, size_t *dropped);

/* The plateaus of a curve sorted by size; returns their number. Neighbours that differ by less than a third
 * are merged. If there are more than `wanted` (up to PLATEAUS_MOST), those that differ least from a neighbour
 * are dropped. */
size_t probe_plateaus(const struct probe_point *points, size_t count, size_t wanted,
                      struct probe_plateau *plateaus);

/* The capacity of the level that serves plateau a, which precedes plateau b: the size at a quarter of the
 * rise from a to b; low: at a tenth, or the last point before; high: at a half, or the next point. */
struct interval probe_capacity(const struct probe_point *points, const struct probe_plateau *a,
                               const struct probe_plateau *b);

/* The number of lines in a set, from the times of walks over lines of one set: cycles[i] per load with i + 1
 * lines. 0 when the time does not rise. hit: cycles of a load that hits. */
size_t probe_ways(const double *cycles, size_t count, double hit);

/* Ways and the bytes of one way from ways[i], the number of lines that fit at a distance of stride << i. It
 * is constant once the distance is a multiple of a way; false when it never is. */
bool probe_way_span(const size_t *ways, size_t count, size_t stride, size_t *found, size_t *span);

/* A step that two curves share at the same size, within a fifth: the index in a of the plateau before it. Of
 * several steps, the one whose smaller rise is the largest; -1 when there is none. */
int probe_common_step(const struct probe_point *points_a, const struct probe_plateau *a, size_t count_a,
                      const struct probe_point *points_b, const struct probe_plateau *b, size_t count_b);

/* ---- knees (knee.c): sizes beyond which a level curve rises and stays up ---- */

struct probe_knee {
    struct interval size; /* the largest that fits: at a quarter of the rise, from a tenth of it to a half */
    double before, after; /* the curve's levels before the knee, and after its rise or at the curve's end */
};

/* The knees of a curve sorted by size, at most `most`; returns their number. A rise must be at least the
 * share `least` of the level before it, and four times the usual difference of neighbouring points. Disturbed
 * points are ignored; a slope without a corner, and a single outlier, are no knees. */
size_t probe_knees(const struct probe_point *points, size_t count, double least, struct probe_knee *knees,
                   size_t most);

/* Whether two measurements agree: their intervals overlap, or their sizes differ by less than 2 %. */
bool probe_knee_agrees(const struct probe_knee *a, const struct probe_knee *b);

/* The ranges of sizes just below a knee and just above it, a ninth wide. */
struct interval probe_below_knee(const struct probe_knee *knee);
struct interval probe_above_knee(const struct probe_knee *knee);

/* Whether points that were measured again on both sides of the knee rise by at least half of the curve's own
 * rise. False if either side has no undisturbed point. */
bool probe_knee_stays(const struct probe_knee *knee, const struct probe_point *points, size_t count,
                      const struct probe_point *again, size_t again_count);

/* Whether a knee's interval is narrow enough for a corner: at most a third of the size. */
bool probe_is_corner(const struct interval *size);

#endif
