/* The rates of a plan: the recipe's targets and the cache model's predictions. */
#ifndef GENERATOR_PLAN_PLAN_RATES_H
#define GENERATOR_PLAN_PLAN_RATES_H

#include "generator/plan/plan.h"

/* Fills plan->rates.targets from the kernel. A rate is over all its loads, or all its accesses, together. */
void plan_set_targets(struct plan *plan);

/* Fills plan->rates.expected by running the plan's accesses through the cache model, and fills the targets of
 * changing data. The warm-up is not counted. Returns the largest distance of an expected cache rate from its
 * target. */
double plan_simulate(struct plan *plan);

/* Sets data.toggle_rate, data.toggle_rate.dealt and data.ones_rate in plan->rates.expected and, as far as the
 * recipe promises them, in plan->rates.targets: flips and ones of all streams, divided by all their bits.
 * Does nothing if no data is given. plan_simulate calls it. */
void plan_data_rates(struct plan *plan);

/* Accesses that plan_simulate runs through the cache model. */
uint64_t plan_simulation(const struct plan *plan);

/* Accesses of a pass that miss the data TLB, if the system grants the huge pages that the program requests;
 * NAN: unknown. */
double plan_page_misses(const struct plan *plan);

/* Passes after which the contents of the caches are in their steady state. */
unsigned plan_settles(const struct plan *plan);

/* Withdraws the plan's data and cache rates if a user's text accesses memory, because its effect on them is
 * unknown. */
void plan_unpromise(struct plan *plan);

/* STATUS_RECIPE if the words of a pass do not have the promised toggle rate in program order, or are too few
 * to have it when they are distributed over several ports or taken by address. The hint states what would
 * work. */
enum status plan_check_toggles(const struct plan *plan, struct error *error);

/* Makes the plan of an aimed kernel promise the rates of the original kernel, which must outlive the plan. */
void plan_promise(struct plan *plan, const struct kernel *requested);

#endif
