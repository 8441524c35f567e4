/* Which blocks of a grid run in the places that a recipe names. AMD's dispatcher assigns blocks in turn to
 * dies, shader engines, their arrays, then compute units (the source "wave" does the same). NVIDIA's order is
 * unpublished, so all multiprocessors count as having equally many blocks. */
#ifndef GENERATOR_PLAN_GPU_GPU_DISPATCH_H
#define GENERATOR_PLAN_GPU_GPU_DISPATCH_H

#include "generator/plan/gpu/gpu_plan.h"
#include "isa/template.h"

/* The number of blocks in the recipe's place: all if there is no place; 0 if no block is in it. */
double gpu_working_blocks(const struct gpu_plan *plan);

/* The same, but assumes that NVIDIA's blocks go to multiprocessors in turn, too. */
uint64_t gpu_blocks_in_turn(const struct gpu_plan *plan);

/* True if the block runs in the place, on an AMD GPU. */
bool gpu_dispatch_works(const struct gpu_plan *plan, unsigned block);

/* The share of the working blocks, assigned in turn, that run on the field's unit `number`: a die, shader
 * engine, array or compute unit of an AMD GPU, or a multiprocessor of an NVIDIA GPU. */
double gpu_dispatch_share(const struct gpu_plan *plan, enum place_field field, unsigned number);

/* True if the share is known to be equal for all the place's numbers of the field. It is unknown if blocks
 * wait, because they go where another block ends first. */
bool gpu_dispatch_even(const struct gpu_plan *plan, enum place_field field);

/* The least distance from a working block to the next one, cyclically; 1 if unknown. power: the largest power
 * of two that divides all such distances. */
uint64_t gpu_dispatch_gap(const struct gpu_plan *plan, bool power);

/* STATUS_RECIPE, with the numbers that exist, if the recipe's place names a unit that the machine lacks or
 * that no block of the grid may reach. */
enum status gpu_dispatch_check(const struct gpu_plan *plan, struct error *error);

/* The number of units that receive blocks: active compute units, or multiprocessors in whole clusters. */
unsigned gpu_dispatch_units(const struct gpu_plan *plan);

/* Threads that a unit runs at a time, given the registers of the programs. */
uint64_t gpu_dispatch_threads(const struct gpu_plan *plan, const struct template *templates);

/* STATUS_RECIPE, with the nearest grid, if blocks outside the place end at once while others wait for room:
 * it is then unknown which blocks run in the place. The plan's resident blocks and shared memory must be
 * known. */
enum status gpu_dispatch_check_room(const struct gpu_plan *plan, struct error *error);

#endif
