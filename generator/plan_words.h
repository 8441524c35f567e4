/* Gives each load of a plan a word of its own, where its data changes from access to access. */
#ifndef GENERATOR_PLAN_WORDS_H
#define GENERATOR_PLAN_WORDS_H

#include "base/error.h"
#include "generator/plan.h"

/* Moves the loads' offsets to their words and fills plan->words; nothing without such data. A line that
 * misses gives a word to each of its visits, and hits have lines of L1D sets that no conflict group uses.
 * STATUS_RECIPE when these do not hold enough words. */
enum status plan_place_words(struct plan *plan, const struct plan_options *options, struct error *error);

#endif
