/* Whether the sets of a cache hold a stream's lines: data no larger than the cache may still fall into few
 * sets. For machines whose file states the ways. */
#ifndef GENERATOR_PLAN_GPU_GPU_SETS_H
#define GENERATOR_PLAN_GPU_GPU_SETS_H

#include "generator/plan/gpu/gpu_plan.h"

/* Lines that a stream's reads in that many passes put into the fullest set of the cache (GPU_L1 or GPU_L2),
 * for one block or for all working blocks. 0 if the machine does not state the ways. */
unsigned gpu_sets_fullest(const struct gpu_plan *plan, const struct gpu_stream *stream, enum gpu_level cache,
                          double passes, bool all_blocks);

/* Lines per set of the cache; UINT32_MAX if the machine does not state it. */
unsigned gpu_sets_ways(const struct gpu_plan *plan, enum gpu_level cache);

/* A distance between blocks, in whole units and close to but at most `most`, at which the fewest blocks share
 * sets of L2. */
uint64_t gpu_sets_apart(const struct gpu_plan *plan, uint64_t most, uint64_t unit);

#endif
