/* Windows: the stretches of data that a program reaches from an address in a register, on an ISA whose
 * displacements are short, and the number of registers left for such addresses. */
#ifndef GENERATOR_PLAN_MEMORY_REACH_H
#define GENERATOR_PLAN_MEMORY_REACH_H

#include <stddef.h>
#include <stdint.h>

/* Most such registers, and the alignment of their addresses. */
enum { ANCHORS_MOST = 24, ANCHOR_ALIGN = 64 };

struct windows {
    uint64_t
        bytes; /* that an anchor reaches; 0: displacements reach all data, and the members below are unused */
    uint64_t before;  /* bytes in front of an address that it reaches */
    uint64_t reached; /* bytes from a base on that it reaches itself */
    unsigned most;    /* windows for which registers are left */
};

/* The number of windows that the places need from one base; sorts the offsets. */
unsigned windows_count(const struct windows *windows, uint64_t *offsets, size_t count);

#endif
