/* Finds knees: the sizes beyond which a curve that was level rises and stays up, as a chain does that no
 * longer fits a structure. Pure functions of numbers. */
#ifndef RUNNER_PROBE_STRUCTURES_KNEE_H
#define RUNNER_PROBE_STRUCTURES_KNEE_H

#include "runner/probe/analysis.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif
