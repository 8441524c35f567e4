/* What a pass of a plan's program does a known number of times: the `counts` of its manifest
 * (generator/metric/quantity.h). */
#ifndef GENERATOR_PLAN_PLAN_COUNTS_H
#define GENERATOR_PLAN_PLAN_COUNTS_H

#include "generator/plan/plan.h"
#include "generator/plan/plan_forms.h"

/* Adds each quantity that the plan knows, as a mean over a period's passes, to *counts. instructions: those
 * of the loop as assembled. */
void plan_count(const struct plan *plan, const struct template *templates, const struct form_tally *tally,
                unsigned instructions, struct arena *arena, struct rates *counts);

#endif
