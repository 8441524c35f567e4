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

/* The same for a line that is to leave first: it enters as the least recently used, and a hit moves nothing.
 * Policies other than LRU, FIFO and unknown have no such order: it enters as any line. */
bool cache_model_access_leaving(struct cache_model *model, uint64_t address);

/* Accesses the lines of the addresses in order. Returns the number of misses and stores their indices in
 * missed [count], in order. */
size_t cache_model_run(struct cache_model *model, const uint64_t *addresses, size_t count, uint32_t *missed);

/* For a cache that fills sectors of lines: accesses these sectors (a bit each) of the line with that number,
 * below 2^56, in set `number mod sets`. Returns those that it had; then it has all of them. A model is used
 * by this function or by the others, not by both. */
unsigned cache_model_sectors(struct cache_model *model, uint64_t line, unsigned wanted);

/* The line's set is accessed soon: brings it near to this processor. Changes nothing. */
void cache_model_sectors_soon(const struct cache_model *model, uint64_t line);

void cache_model_free(struct cache_model *model);

#endif
