/* Buses that executors share: count the bits sent over them, the ones among them and the changes from word to
 * word, in program order and as hardware may deal words to several buses. */
#ifndef SIM_BUS_H
#define SIM_BUS_H

#include <stdbool.h>
#include <stdint.h>

enum { BUS_MOST_BYTES = 128 };

/* The bus's last word. */
struct bus {
    bool used;
    unsigned char bytes[BUS_MOST_BYTES];
};

/* What one or several buses sent. */
struct bus_count {
    uint64_t transfers;
    uint64_t bits, ones;        /* of all transfers */
    uint64_t compared, toggles; /* bits of all transfers after a bus's first, and how many changed */
};

/* The orders in which words are counted. */
enum bus_order {
    BUS_PROGRAM, /* as a warp or wave loads them */
    BUS_EVERY_2, /* as two, three, four ports see them that take a warp's words in turn */
    BUS_EVERY_3,
    BUS_EVERY_4,
    BUS_UNIT,    /* as they come from L2 to a multiprocessor or CU, for all its warps */
    BUS_CHANNEL, /* as a channel of L2 sends them, to all units */
    BUS_ADDRESS, /* by address */
    BUS_ORDERS
};

enum { BUS_TURNS = BUS_EVERY_4 + 1 };

/* The last words of one warp. */
struct bus_turns {
    uint64_t sent;
    unsigned char words[BUS_TURNS][BUS_MOST_BYTES];
};

/* Sends size bytes as words of width bytes, as bus_send, to as many buses in turn as each of the first
 * BUS_TURNS orders has. */
void bus_deal(struct bus_turns *turns, struct bus_count counts[BUS_TURNS], const unsigned char *bytes,
              unsigned size, unsigned width);

/* Sends size bytes as words of width bytes: a multiple of 4 up to BUS_MOST_BYTES that divides size. */
void bus_send(struct bus *bus, struct bus_count *count, const unsigned char *bytes, unsigned size,
              unsigned width);

/* Subtracts the counts of a shorter run. */
void bus_subtract(struct bus_count *more, const struct bus_count *fewer);

#endif
