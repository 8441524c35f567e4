/* Which blocks of a grid run in the places that a recipe names. AMD's dispatcher assigns blocks in turn over
 * dies, shader engines, then their arrays, then compute units (as the source "wave" does); NVIDIA's order is
 * unpublished, so each multiprocessor counts as having equally many. */
#ifndef GENERATOR_PLAN_GPU_GPU_DISPATCH_H
#define GENERATOR_PLAN_GPU_GPU_DISPATCH_H

#include "generator/plan/gpu/gpu_plan.h"

/* The number of blocks in the recipe's place: all if there is no place; 0 if no block is in it. */
double gpu_working_blocks(const struct gpu_plan *plan);

/* The same if blocks go to multiprocessors in turn, on NVIDIA's GPUs too. */
uint64_t gpu_blocks_in_turn(const struct gpu_plan *plan);

/* True if that block is in an AMD GPU's place. */
bool gpu_dispatch_works(const struct gpu_plan *plan, unsigned block);

/* The share of these blocks, if they go in turn, on die ("xcc"), shader engine ("se"), array ("sh") or
 * compute unit ("cu") `number` of an AMD GPU, or on an NVIDIA GPU's multiprocessor ("sm"). */
double gpu_dispatch_share(const struct gpu_plan *plan, const char *field, unsigned number);

/* True if the share is equal for all the place's numbers of the field. */
bool gpu_dispatch_even(const struct gpu_plan *plan, const char *field);

/* The least distance from a block that works to the next one that does, the first coming after the last; 1
 * where nothing tells. power: of all such distances the largest common power of two. */
uint64_t gpu_dispatch_gap(const struct gpu_plan *plan, bool power);

/* STATUS_RECIPE, with the place and what is there, if the recipe names one that the machine lacks or that no
 * block of the grid may reach. */
enum status gpu_dispatch_check(const struct gpu_plan *plan, struct error *error);

#endif
