/* Memory whose bytes are generated when they are first needed: a simulation touches only part of a GPU
 * program's data. */
#ifndef SIM_DEMAND_MEMORY_H
#define SIM_DEMAND_MEMORY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Generates the bytes [from, from + size) of the memory. */
typedef void demand_fill(const void *context, uint64_t from, size_t size, unsigned char *bytes);

enum { DEMAND_GRAIN = 128 }; /* bytes that are generated at a time */

/* All zeros is empty. */
struct demand_memory {
    unsigned char *bytes; /* [size], zeros where nothing was generated yet */
    uint64_t size;        /* a multiple of DEMAND_GRAIN */
    uint64_t *made;       /* a bit per generated grain; NULL: all bytes are there */
    uint64_t *shown;      /* a bit per grain that demand_memory_show has returned */
    demand_fill *fill;
    const void *context;
};

/* Reserves address space for the bytes; without fill they are zeros. STATUS_UNAVAILABLE if there is no room.
 * Free with demand_memory_free. */
enum status demand_memory_open(uint64_t size, demand_fill *fill, const void *context,
                               struct demand_memory *memory, struct error *error);
void demand_memory_free(struct demand_memory *memory);

/* Generates the grain; the slow path of demand_memory_need. */
void demand_memory_make(struct demand_memory *memory, uint64_t grain);

/* Generates the bytes [from, from + size), which are within the memory, unless they are there. */
static inline void demand_memory_need(struct demand_memory *memory, uint64_t from, uint64_t size)
{
    if (memory->made == NULL)
        return;
    for (uint64_t grain = from / DEMAND_GRAIN; grain <= (from + size - 1) / DEMAND_GRAIN; grain++)
        if ((memory->made[grain / 64] >> grain % 64 & 1) == 0)
            demand_memory_make(memory, grain);
}

/* Generates the grains that hold [from, from + size) in `grains` without storing them, if each is requested
 * for the first time: simulations read most of a large data set only once, and touching its pages would take
 * longer than generating it. False if one is not: then call demand_memory_need. */
bool demand_memory_show(struct demand_memory *memory, uint64_t from, uint64_t size, unsigned char *grains);

#endif
