/* What the source "timing" makes of a race that was run: what bounds a kernel, its IPC and its rates. It runs
 * nothing. */
#ifndef RUNNER_SOURCES_TIMING_H
#define RUNNER_SOURCES_TIMING_H

#include "base/error.h"
#include "runner/results/observation.h"
#include "runner/sources/level_share.h"
#include "runner/sources/reference.h"

#include <jansson.h>

/* What bounds a kernel's time, and so what its time tells. */
enum bound { BOUND_OTHER, BOUND_LATENCY, BOUND_BRANCHES };

struct timing_bound {
    enum bound bound;
    struct level_pair levels; /* BOUND_LATENCY */
    const char *why_not;      /* BOUND_OTHER: why time tells no rates of it */
};

/* Loads that are one chain bound a loop by their latency, and where two levels serve them its time tells
 * their shares; random branches bound one in which nothing misses. */
struct timing_bound timing_find_bound(const json_t *manifest);

/* Adds "ipc" from the test program and the clock. */
void timing_add_ipc(const struct race *race, struct observations *list);

/* Adds the rates that the race tells: the shares served by the two levels and the miss rate of the nearer
 * one, between the race's chases, or "branch.miss_rate", between its ends. STATUS_UNAVAILABLE, with the
 * reason, where these are too near to each other, or take what they did not when the machine was probed. */
enum status timing_add_rates(const struct race *race, struct timing_bound bound, struct observations *list,
                             struct error *error);

#endif
