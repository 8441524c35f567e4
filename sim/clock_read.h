/* A warp's or wave's reads of clocks, and what it did around each: whether the time between two of them is
 * that of the loop's passes. Executors note them; whoever compares a program with its promises reads them. */
#ifndef SIM_CLOCK_READ_H
#define SIM_CLOCK_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ticks of the processor, and nanoseconds; other clocks, and parts of these. */
enum clock_kind { CLOCK_TICKS, CLOCK_NS, CLOCK_OTHER };

/* What simulated clocks add to what has been executed: no other number of a program is near them, and each
 * needs all of its 64 bits. */
#define CLOCK_TICKS_FIRST UINT64_C(0x0000300000000000)
#define CLOCK_NS_FIRST UINT64_C(0x0170000000000000)

/* Where the executor cannot say. */
#define CLOCK_UNKNOWN UINT64_MAX

enum { CLOCK_READS = 12 };

struct clock_read {
    enum clock_kind clock;
    uint64_t value;
    uint64_t passes;   /* of the loop before it; or CLOCK_UNKNOWN */
    bool met;          /* all of the block have met since they read a clock before, or since the loop */
    unsigned underway; /* accesses that it has not waited for */
    bool late;         /* other work began before the clock had answered */
    uint64_t before;   /* instructions since the loop, and */
    uint64_t after;    /* until it: without branches and waits; CLOCK_UNKNOWN: none so far */
    int odd_before, odd_after; /* lines of the first one among them that accesses memory or sleeps; 0: none */
    size_t place;              /* of the instruction in the program's code */
    int line;                  /* of PTX's text; 0: none */
    uint64_t offset;           /* of GCN's code, in bytes */
};

/* The first ones of a wave; count: all. */
struct clock_reads {
    struct clock_read items[CLOCK_READS];
    unsigned count;
};

#endif
