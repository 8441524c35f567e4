/* A bus that executors share: counts the bits sent over it, the ones among them and the changes from word to
 * word. */
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

/* Sends size bytes as words of width bytes: a multiple of 4 up to BUS_MOST_BYTES that divides size. */
void bus_send(struct bus *bus, struct bus_count *count, const unsigned char *bytes, unsigned size,
              unsigned width);

/* Subtracts the counts of a shorter run. */
void bus_subtract(struct bus_count *more, const struct bus_count *fewer);

#endif
