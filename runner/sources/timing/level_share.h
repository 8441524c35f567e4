/* The share of a kernel's loads that a level serves, from a race of the kernel with plain chases. Loads in
 * such a kernel wait for each other, so pass = own pass in L1 + loads * (share of each level * (chase of the
 * level - chase in L1)), where the own pass is that of the same loop with all loads in L1. That much is
 * certain, as L1's index lies within a page; the cost of a load from another level comes from chases that do
 * not depend on a plan (plain_chase.h). One such equation determines one share, so there are two levels, or
 * one and the level in front of it. The interval covers the rounds' variation (bootstrap), the two sizes of
 * each level's chase, what other operations of the unit may hide, and a small allowance for effects on the
 * caches that a chase does not have. */
#ifndef RUNNER_SOURCES_TIMING_LEVEL_SHARE_H
#define RUNNER_SOURCES_TIMING_LEVEL_SHARE_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/sources/timing/reference.h"

#include <stdbool.h>

/* The levels that serve the loads, and the kernel's other relevant properties. */
struct level_pair {
    enum memory_level low, high; /* the nearer first */
    bool alone;                  /* only one of them serves loads */
    bool others;                 /* the unit has operations besides its loads */
    bool conflicts;              /* loads miss L1 by conflicts in its sets */
    bool shuffled;               /* ... at random */
    double again[ONE_SET_GAPS];  /* with conflicts: the part of the misses that come after another miss of
                                    their set with that many loads between */
    double wanted;               /* the requested share of the farther level */
};

/* The mean cycles that the kernel spends on the other level's loads between two loads from L3, by the
 * machine's level latencies or defaults; 0 without such loads. */
double level_share_delay(const struct level_pair *levels, const struct machine *machine);

/* The share of loads that the farther level serves, within 0 to 1, from a race whose parts are those of enum
 * timing_part. STATUS_UNAVAILABLE, with the reason, when the chases are too close together or take much
 * longer than when the machine was probed, when the kernel's time is not between theirs, and when the
 * interval is too wide to be useful. */
enum status level_share_find(const struct race *race, const struct level_pair *levels, struct interval *found,
                             struct error *error);

#endif
