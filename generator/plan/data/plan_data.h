/* A plan's initial data: the words that loads read, constant or changing from access to access, and the state
 * that one call of the kernel passes to the next. */
#ifndef GENERATOR_PLAN_DATA_PLAN_DATA_H
#define GENERATOR_PLAN_DATA_PLAN_DATA_H

#include "base/error.h"
#include "base/random.h"
#include "generator/plan/data/word_sequence.h"
#include "generator/plan/plan.h"

#include <stddef.h>
#include <stdint.h>

/* Fills plan->data.runs from the places of the accesses, and the data rates of loads. */
enum status plan_fill_data(struct plan *plan, const struct plan_options *options, struct error *error);

/* Fills values[0..count) for the loads of one pass, in order: a list's words in turn, or words at the toggle
 * rate, which also holds in the order of addresses (NULL: not needed). count is at least 1. */
void data_words_fill(const struct behaviour *load, const struct word_order *addresses, struct random *random,
                     uint64_t *values, size_t count);

#endif
