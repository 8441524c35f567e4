/* Evaluates a finished race for the source "timing": what bounds a kernel, its IPC and its rates. Runs
 * nothing. */
#ifndef RUNNER_SOURCES_TIMING_TIMING_SOURCE_H
#define RUNNER_SOURCES_TIMING_TIMING_SOURCE_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"
#include "runner/sources/timing/reference.h"

#include <stdbool.h>

/* What bounds a kernel's time, and so determines what the time reveals. */
enum bound { BOUND_OTHER, BOUND_LATENCY, BOUND_BRANCHES };

/* The levels that serve the loads, and the kernel's other relevant properties. */
struct level_pair {
    enum memory_level low, high; /* the nearer first */
    bool alone;                  /* only one of them serves loads */
    bool others;                 /* the unit has operations besides its loads */
    bool conflicts;              /* loads miss L1 by conflicts in its sets */
    bool shuffled;               /* these misses are in random order */
    double again[ONE_SET_GAPS];  /* with conflicts: the share of the misses that follow another miss of their
                                    set after that many loads */
    double wanted;               /* the requested share of the farther level */
};

struct timing_bound {
    enum bound bound;
    struct level_pair levels; /* BOUND_LATENCY */
    const char *why_not;      /* BOUND_OTHER: why its time reveals no rates */
};

/* Finds what bounds the kernel. Loads in a single chain bound it by their latency; if two levels serve them,
 * its time reveals their shares. Random branches bound a loop without misses. */
struct timing_bound timing_find_bound(const struct manifest *manifest);

/* Adds "ipc" from the test program and the clock. */
void timing_add_ipc(const struct race *race, struct observations *list);

/* Adds the rates that the race reveals: between its chases, the shares of the two levels and the miss rate of
 * the nearer one; or between its ends, "branch.miss_rate". STATUS_UNAVAILABLE, with the reason, when these
 * are too close together, or differ from their times when the machine was probed. */
enum status timing_add_rates(const struct race *race, struct timing_bound bound, struct observations *list,
                             struct error *error);

/* True for a device's program that is placed by side and bound by the latency of its loads: one wave per
 * block, which chases on one side of L2. */
bool timing_device_concerns(const struct test_program *test_program);

/* Adds "l2.far_share". STATUS_UNAVAILABLE when the device is not here, or near and far take equally long. */
enum status timing_device_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error);

#endif
