/* Misses by eviction sets: loads that L1 and L2 serve, each with its own address in the code (layout.h). */
#ifndef GENERATOR_PLAN_MEMORY_PLAN_EVICTION_H
#define GENERATOR_PLAN_MEMORY_PLAN_EVICTION_H

#include "generator/plan/plan.h"

/* Sizes the loop and places its groups of depth times the ways of L1D, or fewer lines if the tuning does not
 * set the depth. STATUS_RECIPE with the reason. */
enum status eviction_size(struct plan *plan, struct sizing_request *request,
                          const struct plan_options *options, double depth, struct error *error);

/* The slot that the loop must begin with, or 0 for any. */
size_t eviction_first_slot(const struct plan *plan);

/* Gives every access its line, in loop order, and its word of the line if data changes. */
enum status eviction_place_accesses(struct plan *plan, const struct plan_options *options,
                                    struct error *error);

#endif
