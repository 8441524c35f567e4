/* A hierarchy of caches that executors share, described as data: per level the geometry and policy, how many
 * copies there are, and whether a unit (core, compute unit, multiprocessor) has a copy of its own or
 * addresses choose one, as with the channels of a GPU's L2. Each access fills the levels that it misses. */
#ifndef SIM_CACHES_H
#define SIM_CACHES_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

enum { CACHES_MOST_LEVELS = 3 };

struct cache_level {
    struct cache
        cache; /* one copy; with channels all of them, which cache equal parts, by sector if it has them */
    unsigned copies;     /* at least 1 */
    uint64_t interleave; /* consecutive bytes in one channel; 0: no channels, unit u has copy u mod copies */
};

struct caches;

/* Empty caches, the first level nearest to the units. STATUS_USAGE if a level has no sets, fewer sets than
 * channels, or channels whose interleaving is not a multiple of its line. Free with caches_free. */
enum status caches_new(const struct cache_level *levels, unsigned count, struct caches **caches,
                       struct error *error);
void caches_free(struct caches *caches);

/* Accesses the address for the unit, from level `first` on. Returns the number of the level that has it; the
 * number of levels stands for memory. */
unsigned caches_serve(struct caches *caches, unsigned first, unsigned unit, uint64_t address);

/* The same; level `leaving` takes the line in as the one that leaves first (cache_model_access_leaving). */
unsigned caches_serve_leaving(struct caches *caches, unsigned first, unsigned leaving, unsigned unit,
                              uint64_t address);

/* The same for sectors (a bit each) of the line with that number, in one level that only this function
 * accesses: the unit's copy. Lines are spread over sets by a hash, as GPUs do. Returns the sectors that it
 * had; then it has all of them. */
unsigned caches_serve_sectors(struct caches *caches, unsigned level, unsigned unit, uint64_t line,
                              unsigned wanted);

/* caches_serve_sectors comes soon for the line: brings its set near to this processor. Changes nothing. */
void caches_serve_soon(const struct caches *caches, unsigned level, unsigned unit, uint64_t line);

/* The level's channel of the address; 0 without channels. */
unsigned caches_channel(const struct caches *caches, unsigned level, uint64_t address);

/* Empties the unit's copy of a level without channels. */
void caches_empty(struct caches *caches, unsigned level, unsigned unit);

#endif
