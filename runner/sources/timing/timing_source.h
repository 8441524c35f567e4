/* The evaluation of a finished race for the source "timing": what bounds a kernel, its IPC and its rates. It
 * runs nothing. */
#ifndef RUNNER_SOURCES_TIMING_TIMING_SOURCE_H
#define RUNNER_SOURCES_TIMING_TIMING_SOURCE_H

#include "base/error.h"
#include "runner/results/observation.h"
#include "runner/sources/timing/level_share.h"
#include "runner/sources/timing/reference.h"

#include <jansson.h>

/* What bounds a kernel's time, and thus what its time reveals. */
enum bound { BOUND_OTHER, BOUND_LATENCY, BOUND_BRANCHES };

struct timing_bound {
    enum bound bound;
    struct level_pair levels; /* BOUND_LATENCY */
    const char *why_not;      /* BOUND_OTHER: why its time reveals no rates */
};

/* Loads in a single chain bound a loop by their latency; if two levels serve them, its time reveals their
 * shares. Random branches bound a loop without misses. */
struct timing_bound timing_find_bound(const struct manifest *manifest);

/* Adds "ipc" from the test program and the clock. */
void timing_add_ipc(const struct race *race, struct observations *list);

/* Adds the rates that the race reveals: the shares served by the two levels and the miss rate of the nearer
 * one, between the race's chases, or "branch.miss_rate", between its ends. STATUS_UNAVAILABLE, with the
 * reason, when these are too close together, or differ from their times when the machine was probed. */
enum status timing_add_rates(const struct race *race, struct timing_bound bound, struct observations *list,
                             struct error *error);

#endif
