/* A cache model: which accesses a set-associative cache misses under a replacement policy. It predicts a
 * plan's rates; hardware and Valgrind are separate evidence. */
#ifndef GENERATOR_PLAN_MEMORY_CACHE_MODEL_H
#define GENERATOR_PLAN_MEMORY_CACHE_MODEL_H

#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_MODEL_SECTORS = 8 }; /* of a line, at most */

/* One level. Lines are found by (address / line) mod sets, so any number of sets works. */
struct cache_model;

/* An empty cache with the geometry; POLICY_UNKNOWN behaves as LRU. random replacement draws from a fixed
 * seed. */
struct cache_model *cache_model_new(const struct cache *geometry);

/* Accesses the line that holds the address; true on a hit. A miss fills the line. */
bool cache_model_access(struct cache_model *model, uint64_t address);

/* The same for a line that is evicted first: it enters as the least recently used, and a hit does not move
 * it. Policies other than LRU, FIFO and unknown have no such order: there it enters as any other line. */
bool cache_model_access_leaving(struct cache_model *model, uint64_t address);

/* Accesses the lines of the addresses in order. Returns the number of misses and stores their indices in
 * missed [count], in order. */
size_t cache_model_run(struct cache_model *model, const uint64_t *addresses, size_t count, uint32_t *missed);

/* For a cache that fills sectors of lines: accesses the `wanted` sectors (a bit each) of line number `line`,
 * below 2^56, in set `line mod sets`. Returns the sectors that were present; afterwards all of them are. Use
 * a model with this function or with the others, not with both. */
unsigned cache_model_sectors(struct cache_model *model, uint64_t line, unsigned wanted);

/* Prefetches the line's set on this processor because it is accessed soon. Does not change the model. */
void cache_model_sectors_soon(const struct cache_model *model, uint64_t line);

void cache_model_free(struct cache_model *model);

#endif
