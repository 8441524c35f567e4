/* Words of which each that follows another differs from it in the same number of bits: ones of a sequence
 * (word_sequence.h) are moved between words until they do, so that a part of what a program transfers has the
 * rate of the whole. */
#ifndef GENERATOR_PLAN_DATA_WORD_SETTLING_H
#define GENERATOR_PLAN_DATA_WORD_SETTLING_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exchanges bits of words[count][word_sequence_room(bits)] between words, at the same place, until each two
 * of them differ in `wanted` bits, up to one, and the sum over times[a * count + b] is the nearest to what it
 * would be with exactly so many that exchanges find. times, of a < b: how often these two follow each other,
 * in any order; where it is 0, and `all` is not set, they may differ in any number of bits. */
void word_settling_make(uint64_t *words, size_t count, unsigned bits, const uint64_t *times, bool all,
                        double wanted, struct random *random);

#endif
