/* Bytes that are made when they are first needed: the data of a GPU program is larger than what a simulation
 * of it touches. */
#ifndef SIM_DEMAND_MEMORY_H
#define SIM_DEMAND_MEMORY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the bytes [from, from + size) to their place. */
typedef void demand_fill(const void *context, uint64_t from, size_t size, unsigned char *bytes);

enum { DEMAND_GRAIN = 128 }; /* bytes that are made at once */

/* All zeros is empty. */
struct demand_memory {
    unsigned char *bytes; /* [size], zeros where nothing was made yet */
    uint64_t size;        /* a multiple of DEMAND_GRAIN */
    uint64_t *made;       /* a bit per grain; NULL: all bytes are there */
    uint64_t *shown;      /* likewise: those that demand_memory_show gave */
    demand_fill *fill;
    const void *context;
};

/* Address space for the bytes; NULL as fill: they are zeros. STATUS_UNAVAILABLE if there is no room. Free
 * with demand_memory_free. */
enum status demand_memory_open(uint64_t size, demand_fill *fill, const void *context,
                               struct demand_memory *memory, struct error *error);
void demand_memory_free(struct demand_memory *memory);

/* Makes the grain; the slow path of demand_memory_need. */
void demand_memory_make(struct demand_memory *memory, uint64_t grain);

/* Makes the bytes [from, from + size), which are within the memory. */
static inline void demand_memory_need(struct demand_memory *memory, uint64_t from, uint64_t size)
{
    if (memory->made == NULL)
        return;
    for (uint64_t grain = from / DEMAND_GRAIN; grain <= (from + size - 1) / DEMAND_GRAIN; grain++)
        if ((memory->made[grain / 64] >> grain % 64 & 1) == 0)
            demand_memory_make(memory, grain);
}

/* Writes the grains that hold [from, from + size) to `grains`, if all of them are asked for the first time;
 * they are not kept: most of what simulations read of large data they read once, and each page of it would
 * cost more than its bytes. False: nothing was written, and demand_memory_need makes them. */
bool demand_memory_show(struct demand_memory *memory, uint64_t from, uint64_t size, unsigned char *grains);

#endif
