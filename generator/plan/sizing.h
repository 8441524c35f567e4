/* How large the loop is: units in a pass, passes in a period, and how many loads of each stream miss in each,
 * so that the recipe's rates come out exactly. The paper's loops have about 800 instructions: large, to make
 * the loop branch rare, and inside L1I (Joseph, Brooks, Martonosi 2001, section 3.1). */
#ifndef GENERATOR_PLAN_SIZING_H
#define GENERATOR_PLAN_SIZING_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"

#include <stdbool.h>

enum { SIZING_INSTRUCTIONS = 800 };

/* What serves one access of a behaviour that changes its level from pass to pass: the shares that do not
 * divide by the period. */
struct schedule {
    unsigned item;  /* index into the kernel's behaviours */
    unsigned steps; /* at least 2 */
    struct {
        enum memory_level level;
        unsigned until; /* the passes of a period before this one, from the step before on */
    } step[SERVICE_COUNT];
};

struct sizing {
    unsigned units;                    /* in one pass of the loop */
    unsigned period;                   /* passes after which everything repeats; divides 100 */
    unsigned (*served)[SERVICE_COUNT]; /* [kernel->count]: accesses of the behaviour that the level serves in
                                        every pass; walks count as MEM */
    struct schedule *schedules;        /* for the accesses that are left */
    unsigned schedule_count;
    unsigned total;     /* accesses that miss L1D in every pass */
    unsigned sometimes; /* passes in which the first schedule's access misses L1D; 0: there is none */

    double cost;   /* how far this is from the wish: the next best choice costs more */
    bool rotating; /* a pass has too few misses for a conflict group: every pass of a period has lines of its
                      own */
};

struct sizing_request {
    const struct kernel *kernel;
    const struct machine *machine;
    unsigned unit_instructions;
    unsigned unit_bytes; /* longest encoding of one unit */
    unsigned loop_bytes; /* the same of what closes the loop */
    bool rings;          /* misses go to working sets of their own, not to conflict groups */
    unsigned depth;      /* lines wished for in a conflict group; at least L1D ways + 1 */
    uint64_t room;       /* lines that one L1D set can be given while all stay in L2 */
    unsigned hot_room;   /* words that change and always hit for which L1D has room; 0: not known */
    double cost_above;   /* take the best that costs more than this: below 0 for the best of all */
};

/* Chooses. STATUS_RECIPE when a unit does not fit in L1I, or when a rate cannot be reached, with the nearest
 * one that can. sizing->misses is from the arena. */
enum status sizing_choose(const struct sizing_request *request, struct arena *arena, struct sizing *sizing,
                          struct error *error);

#endif
