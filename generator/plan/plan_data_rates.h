/* The data rates of a plan: bits that are one, and bits that change from one word to the next, over all
 * streams of words that a recipe's data field gives: that of the loads, and one for each operation's
 * operands. */
#ifndef GENERATOR_PLAN_PLAN_DATA_RATES_H
#define GENERATOR_PLAN_PLAN_DATA_RATES_H

#include "generator/plan/plan.h"

/* Sets data.toggle_rate and data.ones_rate in plan->expected and, as far as the recipe promises them, in
 * plan->targets: flips and ones of all streams over all their bits. Nothing where no data is given. */
void plan_data_rates(struct plan *plan);

#endif
