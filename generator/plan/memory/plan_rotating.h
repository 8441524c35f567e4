/* Misses by rotating working sets: accesses served by any level, with one base per working set that moves
 * from pass to pass (rotating_layout.h). */
#ifndef GENERATOR_PLAN_MEMORY_PLAN_ROTATING_H
#define GENERATOR_PLAN_MEMORY_PLAN_ROTATING_H

#include "generator/plan/plan.h"

/* Sizes the loop and places its working sets. STATUS_RECIPE with the reason. */
enum status rotating_size(struct plan *plan, struct sizing_request *request,
                          const struct plan_options *options, double depth, struct error *error);

/* Gives every access its line, in loop order. */
enum status rotating_place_accesses(struct plan *plan);

/* Bytes from the start of the data to the line that loads hit. */
uint64_t rotating_hit_offset(const struct plan *plan);

#endif
