/* Which blocks of a grid run in the places that a recipe names. AMD's dispatcher assigns blocks in turn over
 * dies, shader engines, then their arrays, then compute units (as the source "wave" does); NVIDIA's order is
 * unpublished, so each multiprocessor counts as having equally many. */
#ifndef GENERATOR_PLAN_GPU_GPU_DISPATCH_H
#define GENERATOR_PLAN_GPU_GPU_DISPATCH_H

#include "generator/plan/gpu/gpu_plan.h"
#include "isa/template.h"

/* The number of blocks in the recipe's place: all if there is no place; 0 if no block is in it. */
double gpu_working_blocks(const struct gpu_plan *plan);

/* The same if blocks go to multiprocessors in turn, on NVIDIA's GPUs too. */
uint64_t gpu_blocks_in_turn(const struct gpu_plan *plan);

/* True if that block is in an AMD GPU's place. */
bool gpu_dispatch_works(const struct gpu_plan *plan, unsigned block);

/* The share of these blocks, if they go in turn, on die, shader engine, array or compute unit
 * `number` of an AMD GPU, or on an NVIDIA GPU's multiprocessor. */
double gpu_dispatch_share(const struct gpu_plan *plan, enum place_field field, unsigned number);

/* True if the share is equal for all the place's numbers of the field, as far as it can be known: blocks that
 * wait go where one ends first. */
bool gpu_dispatch_even(const struct gpu_plan *plan, enum place_field field);

/* The least distance from a block that works to the next one that does, the first coming after the last; 1
 * where nothing tells. power: of all such distances the largest common power of two. */
uint64_t gpu_dispatch_gap(const struct gpu_plan *plan, bool power);

/* STATUS_RECIPE, with the place and what is there, if the recipe names one that the machine lacks or that no
 * block of the grid may reach. */
enum status gpu_dispatch_check(const struct gpu_plan *plan, struct error *error);

/* The units that blocks go to: compute units that are on, multiprocessors in whole clusters. */
unsigned gpu_dispatch_units(const struct gpu_plan *plan);

/* Threads that a unit takes at a time, given the registers of the programs. */
uint64_t gpu_dispatch_threads(const struct gpu_plan *plan, const struct template *templates);

/* STATUS_RECIPE, with the nearest grid, if blocks outside the place end at once and others wait for room:
 * what runs in the place is then the dispatcher's. The plan's resident blocks and shared memory must be
 * known. */
enum status gpu_dispatch_check_room(const struct gpu_plan *plan, struct error *error);

#endif
