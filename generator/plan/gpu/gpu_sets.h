/* Whether the sets of a cache hold a stream's lines: as many bytes as the cache has may still meet in few of
 * them. For machines whose file tells the ways. */
#ifndef GENERATOR_PLAN_GPU_GPU_SETS_H
#define GENERATOR_PLAN_GPU_GPU_SETS_H

#include "generator/plan/gpu/gpu_plan.h"

/* Lines of the cache (GPU_L1 or GPU_L2) that its fullest set gets of what a stream reads in so many passes:
 * of one block, or of all that work. 0 where the machine does not tell the ways. */
unsigned gpu_sets_fullest(const struct gpu_plan *plan, const struct gpu_stream *stream, enum gpu_level cache,
                          double passes, bool all_blocks);

/* Lines that a set of the cache has; UINT32_MAX where the machine does not tell. */
unsigned gpu_sets_ways(const struct gpu_plan *plan, enum gpu_level cache);

/* The most units to `most`, and not much below, after which as a distance many blocks meet in few sets of L2
 * least. */
uint64_t gpu_sets_apart(const struct gpu_plan *plan, uint64_t most, uint64_t unit);

#endif
