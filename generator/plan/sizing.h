/* Sizes the loop: units per pass, passes per period, and misses of each stream in each, so that the recipe's
 * rates come out exactly. The paper's loops have about 800 instructions: enough to make the loop branch rare,
 * few enough for L1I (Joseph, Brooks, Martonosi 2001, section 3.1). */
#ifndef GENERATOR_PLAN_SIZING_H
#define GENERATOR_PLAN_SIZING_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"

#include <stdbool.h>

enum { SIZING_INSTRUCTIONS = 800 };

/* The levels that serve one access of a behaviour over a period, for shares that the period does not divide
 * evenly. */
struct schedule {
    unsigned item;  /* index into the kernel's behaviours */
    unsigned steps; /* at least 2 */
    struct {
        enum memory_level level;
        unsigned
            until; /* holds in the passes of a period before this one, from the previous step's `until` on */
    } step[SERVICE_COUNT];
};

struct sizing {
    unsigned units;                    /* in one pass of the loop */
    unsigned period;                   /* passes after which everything repeats; divides 100 */
    unsigned (*served)[SERVICE_COUNT]; /* [kernel->count]: the behaviour's accesses that the level serves in
                                          every pass; walks count as MEM */
    struct schedule *schedules;        /* for the remaining accesses */
    unsigned schedule_count;
    unsigned total;     /* accesses that miss L1D in every pass */
    unsigned sometimes; /* passes in which the first schedule's access misses L1D; 0: none */

    double cost;   /* distance from the request; the next-best choice costs more */
    bool rotating; /* a pass has too few misses for an eviction set: every pass of a period has its own lines
                    */
};

struct sizing_request {
    const struct kernel *kernel;
    const struct machine *machine;
    unsigned unit_instructions;
    unsigned unit_bytes; /* longest encoding of one unit */
    unsigned loop_bytes; /* the same for the code that closes the loop */
    unsigned copy_bytes; /* that loop and twin may have each, so that branches lead from one to the other; 0:
                            any */
    bool rotates;        /* every pass of a period has its own lines, so that they are near each other */
    bool stays;          /* prefers lines that are the same in every pass */
    bool by_rotation;    /* misses go to rotating working sets, not to eviction sets */
    bool linked;         /* each load of a chase reads a word of its own */
    unsigned depth;      /* requested lines in an eviction set; at least L1D ways + 1 */
    uint64_t room;       /* lines that can map to one L1D set while all stay in L2 */
    unsigned hot_room;   /* changing, always-hitting words that fit in L1D; 0: unknown */
    double cost_above;   /* choose the best that costs more than this; below 0: the best of all */
};

/* Chooses the sizes. STATUS_RECIPE if a unit does not fit in L1I, or if a rate cannot be reached, with the
 * nearest possible one. sizing->misses is from the arena. */
enum status sizing_choose(const struct sizing_request *request, struct arena *arena, struct sizing *sizing,
                          struct error *error);

#endif
