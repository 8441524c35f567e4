/* Sizes the loop: units per pass, passes per period, and the accesses of each behaviour that each level
 * serves in each pass, so that the recipe's rates are met exactly. The paper's loops have about 800
 * instructions: enough to make the loop branch rare, few enough for L1I (Joseph, Brooks, Martonosi 2001,
 * section 3.1). */
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
        unsigned until; /* it holds before this pass of a period, from the previous step's `until` on */
    } step[SERVICE_COUNT];
};

struct sizing {
    unsigned units;                    /* in one pass of the loop */
    unsigned period;                   /* passes after which all accesses repeat; divides 100 */
    unsigned (*served)[SERVICE_COUNT]; /* [kernel->count]: accesses of the behaviour that each level serves in
                                          every pass; those of walks count as MEM */
    struct schedule *schedules;        /* for the remaining accesses */
    unsigned schedule_count;
    unsigned total;     /* accesses that miss L1D in every pass */
    unsigned sometimes; /* passes of a period in which the first schedule's access misses L1D; 0: none */

    double cost;   /* distance from the request; the best choice has the least */
    bool rotating; /* a pass has too few misses for an eviction set, so each pass of a period has its own
                      lines */
};

struct sizing_request {
    const struct kernel *kernel;
    const struct machine *machine;
    unsigned unit_instructions;
    unsigned unit_bytes; /* bytes of one unit, each instruction in its longest encoding */
    unsigned loop_bytes; /* the same for the code that ends a pass */
    unsigned copy_bytes; /* most bytes of the loop and of its twin, so that branches reach from one to the
                            other; 0: any */
    bool rotates;        /* requests that each pass of a period has its own lines, near each other */
    bool stays;          /* prefers lines that are the same in every pass (`rotating` false) */
    bool by_rotation;    /* misses go to rotating working sets, not to eviction sets */
    bool linked;         /* each load of a chase reads a word of its own */
    unsigned depth;      /* requested lines in an eviction set; at least L1D ways + 1 */
    uint64_t room;       /* lines that can map to one L1D set while all stay in L2 */
    unsigned hot_room;   /* words that change and always hit that fit in L1D; 0: unknown */
    double cost_above;   /* choose the least cost above this one; below 0: the least of all */
};

/* Chooses the sizes. STATUS_RECIPE if a unit does not fit in L1I, or if a rate cannot be reached, with the
 * nearest possible one. The arrays of *sizing are from the arena. */
enum status sizing_choose(const struct sizing_request *request, struct arena *arena, struct sizing *sizing,
                          struct error *error);

#endif
