/* What a pass of a plan's program does a known number of times: the `counts` of its manifest
 * (generator/metric/quantity.h). */
#ifndef GENERATOR_PLAN_PLAN_COUNTS_H
#define GENERATOR_PLAN_PLAN_COUNTS_H

#include "generator/plan/plan.h"
#include "generator/plan/plan_forms.h"
#include "isa/loop.h"

/* Adds each quantity that the plan knows, as a mean over many passes, to *counts. loop: as assembled. Caches
 * of any policy and predictors have to agree: rates that are predicted and not promised say nothing.
 * Nobody else is taken to access what copies share. */
void plan_count(const struct plan *plan, const struct template *templates, const struct form_tally *tally,
                const struct loop_count *loop, struct arena *arena, struct rates *counts);

#endif
