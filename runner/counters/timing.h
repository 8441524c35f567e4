/* What the source "timing" makes of a race that was run: what bounds a kernel, its IPC and its rates. It runs
 * nothing. */
#ifndef RUNNER_COUNTERS_TIMING_H
#define RUNNER_COUNTERS_TIMING_H

#include "base/error.h"
#include "runner/counters/reference.h"
#include "runner/observation.h"

#include <jansson.h>

/* What bounds a kernel's time, and so what its time tells. */
enum bound { BOUND_OTHER, BOUND_LATENCY, BOUND_BRANCHES };

struct timing_bound {
    enum bound bound;
    enum memory_level low, high; /* latency: the two levels that serve the loads, the nearer first */
};

/* Loads that are one chain bound a loop by their latency, and where two levels serve them its time tells
 * their shares; random branches bound one in which nothing misses. */
struct timing_bound timing_find_bound(const json_t *manifest);

/* The parts of the race, in the order in which they are added; the ends only where rates are inferred. */
enum timing_part { TIMING_SUBJECT, TIMING_CLOCK, TIMING_LOW_END, TIMING_HIGH_END };

/* Adds "ipc" from the subject and the clock. */
void timing_add_ipc(const struct race *race, struct observations *list);

/* Adds the rates that the subject's place between its ends tells: the shares served by the two levels and the
 * miss rate of the nearer one, or "branch.miss_rate". STATUS_UNAVAILABLE when the ends are too near to each
 * other. */
enum status timing_add_rates(const struct race *race, struct timing_bound bound, struct observations *list,
                             struct error *error);

#endif
