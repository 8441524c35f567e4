/* How large the loop is: units in a pass, passes in a period, and how many loads of each stream miss in each,
 * so that the recipe's rates come out exactly. The paper's loops have about 800 instructions: large, to make
 * the loop branch rare, and inside L1I (Joseph, Brooks, Martonosi 2001, section 3.1). */
#ifndef GENERATOR_SIZING_H
#define GENERATOR_SIZING_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel.h"
#include "generator/machine.h"

#include <stdbool.h>

enum { SIZING_INSTRUCTIONS = 800, SIZING_NO_STREAM = -1 };

struct sizing {
    unsigned units;   /* in one pass of the loop */
    unsigned period;  /* passes after which everything repeats; divides 100 */
    unsigned *misses; /* [kernel->count]: loads of that behaviour that miss in every pass; 0 for operations */
    unsigned total;   /* the sum of misses */

    /* One load of this behaviour misses in the first `sometimes` passes of each period and hits in the
     * others: it takes up what does not divide by the period. SIZING_NO_STREAM: there is none. */
    int sometimes_stream;
    unsigned sometimes;

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
    unsigned depth;      /* lines wished for in a conflict group; at least L1D ways + 1 */
    uint64_t room;       /* lines that one L1D set can be given while all stay in L2 */
    double cost_above;   /* take the best that costs more than this: below 0 for the best of all */
};

/* Chooses. STATUS_RECIPE when a unit does not fit in L1I, or when a rate cannot be reached, with the nearest
 * one that can. sizing->misses is from the arena. */
enum status sizing_choose(const struct sizing_request *request, struct arena *arena, struct sizing *sizing,
                          struct error *error);

#endif
