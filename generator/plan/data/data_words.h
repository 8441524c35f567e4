/* The words that loads read under a pattern that changes from access to access: each load has its own word.
 */
#ifndef GENERATOR_PLAN_DATA_DATA_WORDS_H
#define GENERATOR_PLAN_DATA_DATA_WORDS_H

#include "base/random.h"
#include "generator/kernel/kernel.h"
#include "generator/plan/data/word_sequence.h"

#include <stddef.h>
#include <stdint.h>

/* Fills values[0..count) for the loads of one pass in order: a list in turn, or a sequence of words that
 * toggle, also in the order of addresses. count is at least 1. */
void data_words_fill(const struct behaviour *load, const struct word_order *addresses, struct random *random,
                     uint64_t *values, size_t count);

#endif
