/* The rates of a plan: the recipe's targets and the cache model's predictions. */
#ifndef GENERATOR_PLAN_PLAN_RATES_H
#define GENERATOR_PLAN_PLAN_RATES_H

#include "generator/plan/plan.h"

/* Fills plan->rates.targets from the kernel: shares of all its loads together. */
void plan_set_targets(struct plan *plan);

/* Fills plan->rates.expected, and the targets of data that changes, by running the plan's accesses through
 * the cache model, without the warm-up. Returns the distance of the expected L1D miss rate from the target.
 */
double plan_simulate(struct plan *plan);

/* Sets data.toggle_rate, data.toggle_rate.dealt and data.ones_rate in plan->rates.expected and, as far as the
 * recipe promises them, in plan->rates.targets: flips and ones of all streams over all their bits. Does
 * nothing if no data is given. plan_simulate does this, too. */
void plan_data_rates(struct plan *plan);

/* Accesses that plan_simulate runs through the cache model. */
uint64_t plan_simulation(const struct plan *plan);

/* Accesses of a pass that miss the data TLB, if the system gives it the huge pages that it asks for; NAN:
 * they are not known. */
double plan_page_misses(const struct plan *plan);

/* Passes after which the plan's caches hold what they will go on to hold. */
unsigned plan_settles(const struct plan *plan);

/* Withdraws the plan's data and cache rates if a user's text accesses memory, because its effect on them is
 * unknown. */
void plan_unpromise(struct plan *plan);

/* STATUS_RECIPE if the words of a pass, or so few of them, cannot have the promised toggle rate in program
 * order, or cannot where they are dealt to several ports or by address, with what can. */
enum status plan_check_toggles(const struct plan *plan, struct error *error);

/* Makes a plan for an aimed kernel promise what the original kernel asks for. That kernel must outlive the
 * plan. */
void plan_promise(struct plan *plan, const struct kernel *asked);

#endif
