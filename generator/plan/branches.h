/* How many of a loop's branches are random, taken and not taken, so that a good predictor gets the recipe's
 * share right: it misses half of the random ones and none of the others (Joseph, Brooks, Martonosi 2001,
 * section 6). The loop's own back edge counts as one of the taken ones. */
#ifndef GENERATOR_PLAN_BRANCHES_H
#define GENERATOR_PLAN_BRANCHES_H

#include "base/error.h"
#include "generator/kernel/kernel.h"

/* Branches of one pass, of one behaviour or of all. */
struct branch_counts {
    unsigned total;
    unsigned random;
    unsigned taken;       /* predictable and always taken */
    unsigned fallthrough; /* predictable and never taken */

    /* Of the total, those that jump through a register. They count as taken, but for the random ones of them
     * that count as random. */
    unsigned indirect;
    unsigned indirect_random;
};

/* Branches in one unit. */
unsigned branches_in_unit(const struct kernel *kernel);

/* The miss rate that the recipe's accuracies come to over all branches; 0 without branches. */
double branches_wanted(const struct kernel *kernel);

/* Counts for the behaviour in a loop of that many units. One taken branch is kept for the back edge in the
 * first behaviour that has conditional branches, or, where all are indirect, in the first of them: the back
 * edge itself is conditional. */
struct branch_counts branches_of(const struct kernel *kernel, size_t item, unsigned units);

/* The same for all behaviours together. */
struct branch_counts branches_all(const struct kernel *kernel, unsigned units);

/* Share of branches that a predictor misses that gets all but the random ones right; 0 without branches. */
double branches_miss_rate(const struct branch_counts *counts);

/* Share taken: of the random ones all that are indirect and half of the others. */
double branches_taken_rate(const struct branch_counts *counts);

/* STATUS_RECIPE when a share taken does not go with its accuracy. */
enum status branches_check(const struct kernel *kernel, struct error *error);

#endif
