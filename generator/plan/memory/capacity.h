/* Working sets that miss a cache, or stay in one, by size alone: with any index function, any page placement,
 * and every replacement policy known in cores. Caches behind L1 are indexed by physical addresses, often
 * hashed, so the lines of a set are effectively random: their number is Poisson distributed, and a working
 * set must be so large that even sets with few of its lines have more than they hold (Vila, Koepf, Morales
 * 2019, section IV, on eviction by chance). */
#ifndef GENERATOR_PLAN_MEMORY_CAPACITY_H
#define GENERATOR_PLAN_MEMORY_CAPACITY_H

#include "base/arena.h"
#include "base/random.h"
#include "generator/machine/machine.h"
#include "generator/plan/memory/rotating_set.h"

#include <stdbool.h>
#include <stdint.h>

/* The share of a working set's lines that are still in the cache when they are reused after `depth` times the
 * cache's lines. An upper bound under LRU, tree-PLRU and not-recently-used policies, and under random
 * replacement if the machine file states it. */
double capacity_stays(const struct cache *cache, double depth);

/* The depth at which less than one line in 200 stays even if replacement may be random, or one in 1000 if it
 * is known to be. */
double capacity_random_depth(const struct cache *cache);

/* The share of a working set's accesses that miss the cache that should serve them, if so many of its own
 * lines and of other lines are accessed before each reuse. */
double capacity_lost(const struct cache *cache, double own_lines, double other_lines);

/* Bytes of the cache that a working set can use: one core's effective part, if known. */
uint64_t capacity_room(const struct cache *cache);

/* A rotating working set over many positions in its pages. Each access of a pass has a part of the lines, and
 * visits them in an order that jumps from page to page. */
struct capacity_set {
    const struct rotating_set_request *wanted;
    uint64_t lines;       /* requested in total */
    uint64_t row;         /* bytes after which plainly indexed caches return to the same set */
    uint64_t unit;        /* bytes of a line */
    unsigned color_count; /* line positions within a row */
    bool *free;           /* [color_count]: in: positions that it may use; out: positions that it uses */
    unsigned period;
    uint64_t first_row;
    bool compact; /* the accesses of a pass begin in one row */
    bool near;    /* a pass's lines are near those of the pass before, in another page of 4 KiB */
};

/* The share of a row's positions that the working set would use, 0 to 1. `lines` need not be set. */
double capacity_cover(const struct capacity_set *request);

/* Places it. False if it does not fit below the limit, in bytes from the data's start. The offsets are from
 * the arena. */
bool capacity_set_place(const struct capacity_set *request, uint64_t limit, struct random *random,
                        struct arena *arena, struct rotating_set *set);

#endif
