/* A cache model: which accesses a set-associative cache misses under a replacement policy. It predicts a
 * plan's rates; hardware and Valgrind are asked separately. */
#ifndef GENERATOR_PLAN_CACHE_MODEL_H
#define GENERATOR_PLAN_CACHE_MODEL_H

#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One level. Lines are found by (address / line) mod sets, so any number of sets is served. */
struct cache_model;

/* An empty cache with the geometry; POLICY_UNKNOWN behaves as LRU. random replacement draws from a fixed
 * seed. */
struct cache_model *cache_model_new(const struct cache *geometry);

/* Touches the line that holds the address; true when it was there. A missing line is brought in. */
bool cache_model_access(struct cache_model *model, uint64_t address);

/* Touches the lines of one address after the other. How many were missing; their places in the list go to
 * missed [count], in order. */
size_t cache_model_run(struct cache_model *model, const uint64_t *addresses, size_t count, uint32_t *missed);

void cache_model_free(struct cache_model *model);

#endif
