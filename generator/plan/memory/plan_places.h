/* Chooses the level that serves each access of a loop, and its place, for both ways of making misses:
 * eviction sets (eviction_layout.h) and rotating working sets (plan_rotating.h). */
#ifndef GENERATOR_PLAN_MEMORY_PLAN_PLACES_H
#define GENERATOR_PLAN_MEMORY_PLAN_PLACES_H

#include "base/random.h"
#include "generator/plan/plan.h"

/* Marks of accesses: a memory_level, or MARK_SCHEDULES + the index of one of the sizing's schedules. */
enum { MARK_SCHEDULES = SERVICE_COUNT };

/* True if the kernel requests something that eviction sets cannot provide. */
bool plan_needs_rotation(const struct kernel *kernel);

/* [behaviour][instance]: marks of accesses, kinds of branches; NULL for operations. From the plan's arena. */
unsigned char **plan_arrange(struct plan *plan, struct random *random);

/* Rotates the slots so that the loop begins with a suitable access and ends with its back edge. */
void plan_turn_loop(struct plan *plan);

/* Sizes the loop and lays out the lines of its data. depth: requested lines in a set that must miss, in
 * multiples of the ways. */
enum status plan_size(struct plan *plan, struct sizing_request *request, const struct plan_options *options,
                      double depth, struct error *error);

/* Gives every access its place. */
enum status plan_place_accesses(struct plan *plan, const struct plan_options *options, struct error *error);

#endif
