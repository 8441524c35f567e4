/* A rotating working set: lines around an address that moves from pass to pass and returns to its start after
 * some number of positions. The next call of the kernel continues where the last one stopped. */
#ifndef GENERATOR_PLAN_MEMORY_ROTATING_SET_H
#define GENERATOR_PLAN_MEMORY_ROTATING_SET_H

#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

/* After k moves it is at start + k * jump % positions * step. */
struct rotation {
    uint64_t start;     /* bytes from the data's address */
    uint64_t step;      /* bytes */
    unsigned positions; /* at least 1 */
    unsigned jump;      /* from 1 to positions, coprime with positions */
    unsigned from,
        until;       /* it moves after passes from <= pass < until of a period; until 0: after every pass */
    unsigned period; /* used if until is not 0 */
};

/* A rotation that moves by one step in every pass. */
struct rotation rotation_by(uint64_t start, uint64_t step, unsigned turns);

/* Passes until the first position recurs at the start of a period. */
unsigned rotation_turns(const struct rotation *rotation);

/* Bytes from the data's address to the position in the pass (counted from the start of a period). */
uint64_t rotation_at(const struct rotation *rotation, uint64_t pass);

/* An access that a working set serves only in some passes of a period: from <= pass < until. */
struct rotating_set_extra {
    unsigned from, until;
};

/* Requirements for one working set. */
struct rotating_set_request {
    enum memory_level level; /* that serves it, or LEVEL_PAGE; not used with a working_set */
    unsigned lines;          /* read in every pass */
    const struct rotating_set_extra *extras;
    unsigned extra_count;
    bool in_order;        /* ascending addresses, which prefetchers can follow */
    uint64_t stride;      /* bytes from one line to the next; 0: free */
    uint64_t working_set; /* bytes to walk through, whichever level serves them; 0: the level determines the
                             size */
    bool apart; /* of stores, which share no lines with loads because they would overwrite the loads' data */
};

/* A working set's lines: the rotation's position + offsets[i]. */
struct rotating_set {
    struct rotation at;
    uint32_t *offsets; /* [lines + extra_count], in order of use */
    uint64_t lines;    /* of the whole working set */
    uint64_t
        bytes; /* from the rotation's start to the end of its last line; 0: to be computed from the offsets */
    bool by_capacity; /* its lines miss or stay by their number, not by conflicts in sets */
};

#endif
