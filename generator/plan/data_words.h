/* The words that loads read where a pattern changes from access to access: each load has a word of its own,
 * and neighbours in the order of access differ in exactly as many bits as the pattern says, over the loop's
 * wrap too. */
#ifndef GENERATOR_PLAN_DATA_WORDS_H
#define GENERATOR_PLAN_DATA_WORDS_H

#include "base/arena.h"
#include "base/random.h"
#include "generator/kernel/kernel.h"

#include <stddef.h>
#include <stdint.h>

/* Fills values[0..count) for the loads of one pass in their order. A toggle pattern goes round in two equal
 * halves, so that every bit is back where it was after them: the share of bits that change is the nearest to
 * the pattern's that two flips can come. count is at least 1. */
void data_words_fill(const struct behaviour *load, struct random *random, uint64_t *values, size_t count);

/* Share of bits that differ from one value to the next, the last and the first included, on a bus of that
 * many bits. */
double data_words_toggle_rate(const uint64_t *values, size_t count, unsigned bits);

/* Share of bits that are one. */
double data_words_ones_rate(const uint64_t *values, size_t count, unsigned bits);

#endif
