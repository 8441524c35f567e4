/* An address that moves from pass to pass and returns to its start after some number of positions. The next
 * call of the kernel continues where the last one stopped. */
#ifndef GENERATOR_PLAN_MEMORY_ROTATING_SET_H
#define GENERATOR_PLAN_MEMORY_ROTATING_SET_H

#include <stdint.h>

/* After k moves it is at start + k * jump % positions * step. */
struct rotation {
    uint64_t start;       /* bytes from the data's address */
    uint64_t step;        /* bytes */
    unsigned positions;   /* at least 1 */
    unsigned jump;        /* from 1 to positions, coprime with positions */
    unsigned from, until; /* moves after these passes of a period; until 0: after every pass */
    unsigned period;      /* used if until is not 0 */
};

/* A rotation that moves by one step in every pass. */
struct rotation rotation_by(uint64_t start, uint64_t step, unsigned turns);

/* Passes until the first position recurs at the same point of a period. */
unsigned rotation_turns(const struct rotation *rotation);

/* Bytes from the data's address to the position in the pass (counted from the start of a period). */
uint64_t rotation_at(const struct rotation *rotation, uint64_t pass);

#endif
