/* Which share of a kernel's loads a level serves, from a race of the kernel with plain chases. Loads wait for
 * each other in such a kernel, and so
 *
 *     pass = own pass in L1 + loads * (share of each level * (chase of the level - chase in L1))
 *
 * where the own pass is that of the same loop with all loads in L1. This much is sure, as L1's index lies
 * within a page; what a load of another level costs is told by chases that lean on no plan (plain_chase.h).
 * One such equation tells one share, so there are two levels, or one and the level in front of it. The
 * interval holds the rounds' variation (bootstrap), the two sizes of each level's chase, what other
 * operations of the unit may hide, and a little for what a kernel does to the caches that a chase does not.
 */
#ifndef RUNNER_SOURCES_LEVEL_SHARE_H
#define RUNNER_SOURCES_LEVEL_SHARE_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/sources/reference.h"

#include <stdbool.h>

/* The levels that serve the loads, and what else of the kernel counts here. */
struct level_pair {
    enum memory_level low, high; /* the nearer first */
    bool alone;                  /* only one of them is to serve loads */
    bool others;                 /* the unit has operations beside its loads */
    bool conflicts;              /* loads miss L1 by conflict in its sets */
    bool shuffled;               /* ... at random */
    double wanted;               /* the share that the farther level is to serve */
};

/* The cycles that the kernel's loads from L3 wait for the others between them, where there are such: by what
 * the machine's description says of its levels, or what is usual. */
double level_share_delay(const struct level_pair *levels, const struct machine *machine);

/* The share of loads that the farther level serves, within 0 to 1, from a race whose parts are those of enum
 * timing_part. STATUS_UNAVAILABLE, with the reason, where the chases are too near to each other or take much
 * longer than when the machine was probed, where the kernel's time is not between theirs, and where the
 * interval is too wide to tell anything. */
enum status level_share_find(const struct race *race, const struct level_pair *levels, struct interval *found,
                             struct error *error);

#endif
