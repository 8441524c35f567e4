/* A plan's initial data: the words that loads read, constant or changing from access to access, and the state
 * that one call of the kernel passes to the next. */
#ifndef GENERATOR_PLAN_DATA_PLAN_DATA_H
#define GENERATOR_PLAN_DATA_PLAN_DATA_H

#include "base/error.h"
#include "generator/plan/plan.h"

/* Fills plan->data.runs from the places of the accesses, and the data rates of loads. */
enum status plan_fill_data(struct plan *plan, const struct plan_options *options, struct error *error);

#endif
