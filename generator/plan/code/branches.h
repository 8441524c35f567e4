/* How many of a loop's branches are random, taken and not taken, so that a good predictor reaches the
 * recipe's accuracy: it misses half of the random ones and none of the others (Joseph, Brooks, Martonosi
 * 2001, section 6). The loop's back edge counts as a taken branch. */
#ifndef GENERATOR_PLAN_CODE_BRANCHES_H
#define GENERATOR_PLAN_CODE_BRANCHES_H

#include "base/error.h"
#include "generator/kernel/kernel.h"

/* Branches of one pass, of one behaviour or of all. */
struct branch_counts {
    unsigned total;
    unsigned random;
    unsigned taken;       /* predictable and always taken */
    unsigned fallthrough; /* predictable and never taken */

    /* Branches of the total that jump through a register or memory. They also count as taken, and random ones
     * as random. */
    unsigned indirect;
    unsigned indirect_random;
};

/* Branches in one unit. */
unsigned branches_in_unit(const struct kernel *kernel);

/* The miss rate over all branches that follows from the recipe's accuracies; 0 without branches. */
double branches_wanted(const struct kernel *kernel);

/* The share of taken branches that the recipe promises, indirect branches included; below 0 if there are no
 * conditional branches or some have no stated share. */
double branches_wanted_taken(const struct kernel *kernel);

/* Counts for the behaviour in a loop of that many units. The first behaviour with conditional branches (or,
 * if all are indirect, the first behaviour) reserves one taken branch for the back edge, which is
 * conditional. */
struct branch_counts branches_of(const struct kernel *kernel, size_t item, unsigned units);

/* The same for all behaviours together. */
struct branch_counts branches_all(const struct kernel *kernel, unsigned units);

/* Share of branches missed by a predictor that mispredicts only random ones; 0 without branches. */
double branches_miss_rate(const struct branch_counts *counts);

/* Share taken; of the random branches, all indirect ones and half of the others count as taken. */
double branches_taken_rate(const struct branch_counts *counts);

/* STATUS_RECIPE if a share taken is incompatible with its accuracy. */
enum status branches_check(const struct kernel *kernel, struct error *error);

#endif
