/* Models of a data bus for all executors. They count the bits sent, how many are ones, and how many change
 * from word to word: in program order, and as if hardware distributed the words over several buses. */
#ifndef SIM_BUS_H
#define SIM_BUS_H

#include <stdbool.h>
#include <stdint.h>

enum { BUS_MOST_BYTES = 128 };

/* A bus: its last word. */
struct bus {
    bool used;
    unsigned char bytes[BUS_MOST_BYTES];
};

/* The traffic of one or several buses. */
struct bus_count {
    uint64_t transfers;
    uint64_t bits, ones;        /* of all transfers */
    uint64_t compared, toggles; /* bits of all transfers but a bus's first, and how many of them changed */
};

/* The orders in which words are counted. */
enum bus_order {
    BUS_PROGRAM, /* in the order in which a warp or wave loads them */
    BUS_EVERY_2, /* the same on two, three or four ports that take a warp's words in turn */
    BUS_EVERY_3,
    BUS_EVERY_4,
    BUS_UNIT,    /* from L2 to one multiprocessor or CU, for all its warps */
    BUS_CHANNEL, /* from one channel of L2 to all units */
    BUS_ADDRESS, /* in the order of addresses */
    BUS_ORDERS
};

enum { BUS_TURNS = BUS_EVERY_4 + 1 };

/* The last words of one warp. */
struct bus_turns {
    uint64_t sent;
    unsigned char words[BUS_TURNS][BUS_MOST_BYTES];
};

/* For each of the first BUS_TURNS orders, sends size bytes as words of width bytes to that order's buses in
 * turn; see bus_send. */
void bus_deal(struct bus_turns *turns, struct bus_count counts[BUS_TURNS], const unsigned char *bytes,
              unsigned size, unsigned width);

/* Sends size bytes as words of width bytes: a multiple of 4 up to BUS_MOST_BYTES that divides size. */
void bus_send(struct bus *bus, struct bus_count *count, const unsigned char *bytes, unsigned size,
              unsigned width);

/* Subtracts the counts of a shorter run. */
void bus_subtract(struct bus_count *more, const struct bus_count *fewer);

#endif
