/* What serves each access of a loop, and where it goes: the part of plan.h that is between the two ways of
 * making misses, conflict groups (plan_groups.h) and working sets (plan_rings.h). */
#ifndef GENERATOR_PLAN_PLAN_PLACES_H
#define GENERATOR_PLAN_PLAN_PLACES_H

#include "base/random.h"
#include "generator/plan/plan.h"

/* Marks of accesses: a memory_level, or MARK_SCHEDULES + the index of one of the sizing's schedules. */
enum { MARK_SCHEDULES = SERVICE_COUNT };

/* True when the kernel asks for what conflict groups cannot give. */
bool plan_needs_rings(const struct kernel *kernel);

/* [behaviour][instance]: marks of accesses, kinds of branches; NULL for operations. From the plan's arena. */
unsigned char **plan_arrange(struct plan *plan, struct random *random);

/* Turns the loop to where it is to begin and end. */
void plan_turn_loop(struct plan *plan);

/* Sizes the loop and lays its data out, depth being lines wished for in a set that shall miss, in ways. */
enum status plan_size(struct plan *plan, struct sizing_request *request, const struct plan_options *options,
                      double depth, struct error *error);

/* Gives every access its place. */
enum status plan_place_accesses(struct plan *plan, const struct plan_options *options, struct error *error);

#endif
