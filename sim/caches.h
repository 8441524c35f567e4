/* A cache hierarchy for all executors, described as data: each level's geometry, policy and number of copies,
 * and what selects a copy: the unit (core, compute unit, multiprocessor), or the address, as for the channels
 * of a GPU's L2. Each access fills the levels that it misses. */
#ifndef SIM_CACHES_H
#define SIM_CACHES_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

enum { CACHES_MOST_LEVELS = 3 };

struct cache_level {
    struct cache cache;  /* of one copy; with channels: of all together; by sector if it has sectors */
    unsigned copies;     /* at least 1 */
    uint64_t interleave; /* consecutive bytes in one channel; 0: no channels, unit u has copy u mod copies */
};

struct caches;

/* Empty caches, the first level nearest to the units. STATUS_USAGE if a level has no sets, fewer sets than
 * channels, or channels whose interleaving is not a multiple of its line. Free with caches_free. */
enum status caches_new(const struct cache_level *levels, unsigned count, struct caches **caches,
                       struct error *error);
void caches_free(struct caches *caches);

/* Accesses the address for the unit, from level `first` on. Returns the number of the level that hits; the
 * number of levels stands for memory. */
unsigned caches_serve(struct caches *caches, unsigned first, unsigned unit, uint64_t address);

/* The same; level `leaving` inserts the line as the next to be evicted (cache_model_access_leaving). */
unsigned caches_serve_leaving(struct caches *caches, unsigned first, unsigned leaving, unsigned unit,
                              uint64_t address);

/* Accesses sectors (a bit each) of the line with that number in the unit's copy of one level, which only this
 * function accesses. A hash of the line chooses its set, as in GPUs. Returns the sectors that hit; the others
 * are filled. */
unsigned caches_serve_sectors(struct caches *caches, unsigned level, unsigned unit, uint64_t line,
                              unsigned wanted);

/* Prefetches the data of the line's set into the host's cache for a caches_serve_sectors that follows
 * soon. */
void caches_serve_soon(const struct caches *caches, unsigned level, unsigned unit, uint64_t line);

/* The level's channel for the address; 0 without channels. */
unsigned caches_channel(const struct caches *caches, unsigned level, uint64_t address);

/* Empties the unit's copy of a level without channels. */
void caches_empty(struct caches *caches, unsigned level, unsigned unit);

#endif
