/* Makes the plan: sizes the loop, chooses slots, places and data, and predicts the rates, until the expected
 * ones meet the targets. */
#ifndef GENERATOR_PLAN_PLAN_MAKE_H
#define GENERATOR_PLAN_PLAN_MAKE_H

#include "generator/plan/plan.h"

/* Limits on accesses in the cache model: MOST_SIMULATED per loop (some seconds), and SEARCH_SIMULATED before
 * a search for another loop stops. They count accesses, not seconds, so that plans are the same on every
 * host. */
#define PLAN_MOST_SIMULATED (UINT64_C(1) << 28)
#define PLAN_SEARCH_SIMULATED (UINT64_C(1) << 26)

/* Makes the plan. kernel and machine must outlive it. STATUS_RECIPE with the reason if a rate cannot be
 * reached. Free it with plan_free even after an error. */
enum status plan_make(const struct kernel *kernel, const struct machine *machine,
                      const struct template *templates, const struct plan_options *options, struct plan *plan,
                      struct error *error);

/* Puts the loop's slots in the attempt-th random order (0 is plan_make's); sizes, places and counts stay.
 * Takes plan_make's options. */
enum status plan_shuffle(struct plan *plan, const struct isa *isa, const struct plan_options *options,
                         unsigned attempt, struct error *error);

/* False if the loop misses a rate in its present order, on which those of the data TLB and of data that is
 * dealt depend. */
bool plan_keeps_rates(struct plan *plan);

#endif
