/* What the data of a plan holds before anything runs: words that loads read, the same or changing from access
 * to access, and what a call of the kernel hands to the next. */
#ifndef GENERATOR_PLAN_PLAN_DATA_H
#define GENERATOR_PLAN_PLAN_DATA_H

#include "base/error.h"
#include "generator/plan/plan.h"

/* Fills plan->runs from the places of the accesses, and the data rates of loads. */
enum status plan_fill_data(struct plan *plan, const struct plan_options *options, struct error *error);

/* True when the kernel keeps anything from one call to the next: bases or a place in the period. */
bool plan_has_state(const struct plan *plan);

#endif
