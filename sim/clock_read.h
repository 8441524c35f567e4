/* A warp's or wave's reads of clocks, and what it executed around each, which determine whether the time
 * between two of them is that of the loop's passes. Executors record them for the comparison with the
 * manifest. */
#ifndef SIM_CLOCK_READ_H
#define SIM_CLOCK_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CLOCK_OTHER: neither the processor's ticks nor nanoseconds, or only some of a clock's bits. */
enum clock_kind { CLOCK_TICKS, CLOCK_NS, CLOCK_OTHER };

/* The offsets of simulated clocks, to which the instructions executed so far are added. No other number of a
 * program is near them, and each needs all of its 64 bits. */
#define CLOCK_TICKS_FIRST UINT64_C(0x0000300000000000)
#define CLOCK_NS_FIRST UINT64_C(0x0170000000000000)

#define CLOCK_UNKNOWN UINT64_MAX

enum { CLOCK_READS = 12 };

struct clock_read {
    enum clock_kind clock;
    uint64_t value;
    uint64_t passes;   /* of the loop before the read, or CLOCK_UNKNOWN */
    bool synchronised; /* a barrier of the block lies between the read and the one before, or the loop */
    unsigned underway; /* accesses for which the warp or wave has not waited */
    bool late;         /* other work began before the clock's value had arrived */
    uint64_t before;   /* instructions from the loop to the read, and */
    uint64_t after;    /* from the read to the loop: without branches and waits; CLOCK_UNKNOWN: no loop yet */
    int slow_before, slow_after; /* PTX lines of one of these that accesses memory or sleeps; 0: none */
    size_t place;                /* of the instruction in the program's code */
    int line;                    /* of PTX's text; 0: none */
    uint64_t offset;             /* of GCN's code, in bytes */
};

/* The first CLOCK_READS of a warp or wave; count: of all. */
struct clock_reads {
    struct clock_read items[CLOCK_READS];
    unsigned count;
};

#endif
