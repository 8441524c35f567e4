/* What a program can reach on an ISA whose displacements are short: stretches of the data around an address
 * in a register, called windows, and how many registers are left for them. */
#ifndef GENERATOR_PLAN_MEMORY_REACH_H
#define GENERATOR_PLAN_MEMORY_REACH_H

#include <stddef.h>
#include <stdint.h>

/* ANCHOR_ALIGN: such addresses are at multiples of it. */
enum { ANCHORS_MOST = 24, ANCHOR_ALIGN = 64 };

struct windows {
    uint64_t bytes;   /* that an anchor reaches; 0: displacements reach all data, and nothing below matters */
    uint64_t before;  /* bytes that an address reaches in front of it */
    uint64_t reached; /* bytes that a base itself reaches, from it on */
    unsigned most;    /* windows for which there are registers */
};

/* The windows that the places need from one base; sorts them. */
unsigned windows_count(const struct windows *windows, uint64_t *offsets, size_t count);

#endif
