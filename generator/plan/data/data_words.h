/* The words that loads read under a pattern that changes from access to access: each load has its own word,
 * and consecutive words, including the last and first, differ in exactly as many bits as the pattern states.
 */
#ifndef GENERATOR_PLAN_DATA_DATA_WORDS_H
#define GENERATOR_PLAN_DATA_DATA_WORDS_H

#include "base/arena.h"
#include "base/random.h"
#include "generator/kernel/kernel.h"

#include <stddef.h>
#include <stdint.h>

/* Fills values[0..count) for the loads of one pass in order. A toggle pattern has two equal halves, after
 * which every bit has its first value again: the share of bits that change is the nearest to the pattern's
 * that two flips can reach. count is at least 1. */
void data_words_fill(const struct behaviour *load, struct random *random, uint64_t *values, size_t count);

/* Share of bits that differ between consecutive values, including from the last to the first, on a bus of
 * `bits` bits. lanes: how often the bus carries each value, zeros beside it; NULL: once. */
double data_words_toggle_rate(const uint64_t *values, const unsigned *lanes, size_t count, unsigned bits);

/* Share of bits that are one. */
double data_words_ones_rate(const uint64_t *values, const unsigned *lanes, size_t count, unsigned bits);

#endif
