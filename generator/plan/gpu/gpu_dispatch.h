/* Which blocks of a grid come to the places that a recipe names. AMD's dispatcher gives blocks out in turn
 * over shader engines, then their arrays, then compute units (as the source "wave" does); how NVIDIA's does
 * is not told, so that there each multiprocessor counts as having as many. */
#ifndef GENERATOR_PLAN_GPU_GPU_DISPATCH_H
#define GENERATOR_PLAN_GPU_GPU_DISPATCH_H

#include "generator/plan/gpu/gpu_plan.h"

/* Blocks that pass the recipe's place: all where there is none; 0 where none does. */
double gpu_working_blocks(const struct gpu_plan *plan);

/* True where the block of that number passes an AMD GPU's place. */
bool gpu_dispatch_works(const struct gpu_plan *plan, unsigned block);

/* Of an AMD GPU: the share of them that is on the shader engine ("se"), the array ("sh") or compute unit
 * ("cu") of that number.
 */
double gpu_dispatch_share(const struct gpu_plan *plan, const char *field, unsigned number);

/* True where the share is the same for all numbers that the place has for the field. */
bool gpu_dispatch_even(const struct gpu_plan *plan, const char *field);

#endif
