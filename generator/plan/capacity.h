/* Working sets that miss a cache, or stay in one, by their size alone: whatever its index is made of,
 * wherever the pages lie, and under every replacement policy that a core is known to have. Caches behind L1
 * are indexed by physical addresses, many by a hash of them, so that a set's lines are as good as drawn by
 * lot: their number is Poisson distributed, and a working set has to be so large that even the sets with few
 * of its lines have more than they hold (Vila, Koepf, Morales 2019, section IV, on eviction by chance). */
#ifndef GENERATOR_PLAN_CAPACITY_H
#define GENERATOR_PLAN_CAPACITY_H

#include "base/arena.h"
#include "base/random.h"
#include "generator/machine/machine.h"
#include "generator/plan/rings.h"

#include <stdbool.h>
#include <stdint.h>

/* The share of a working set's lines that are still in the cache when they come back, after so many times the
 * cache's own lines have come by: at most, under LRU, tree-PLRU and a policy that knows what was not used of
 * late; under random replacement where the description says so. */
double capacity_stays(const struct cache *cache, double depth);

/* The depth at which less than one line in two hundred stays under random replacement too. */
double capacity_random_depth(void);

/* The share of a working set's accesses that miss the cache that is to serve it, when so many lines of its
 * own and of others come by before one comes back. */
double capacity_lost(const struct cache *cache, double own_lines, double other_lines);

/* Bytes of the cache that a working set may count on: what one core really has where that is known. */
uint64_t capacity_room(const struct cache *cache);

/* A ring of lines of many places within their pages: each access of a pass has a part of it to itself, and
 * goes through that part's lines in an order that leaps from page to page. */
struct capacity_ring {
    const struct ring_request *wanted;
    uint64_t lines;       /* wished for in all */
    uint64_t row;         /* bytes; caches that are indexed plainly begin with their sets again */
    uint64_t unit;        /* bytes of a line */
    unsigned color_count; /* places for lines within a row */
    bool *free;           /* [color_count]: those that it may use; afterwards those that it uses */
    unsigned period;
    uint64_t first_row;
};

/* How much of a row's places it would take, from 0 to 1; lines need not be known yet. */
double capacity_cover(const struct capacity_ring *request);

/* Places it. False when it does not come to lie below the limit, in bytes from the data's start. The offsets
 * are from the arena. */
bool capacity_ring_place(const struct capacity_ring *request, uint64_t limit, struct random *random,
                         struct arena *arena, struct ring *ring);

#endif
