/* Words of which each that follows another differs from it in the same number of bits: ones of a sequence
 * (word_sequence.h) are moved between words until they do, so that a part of what a program transfers has the
 * rate of the whole. */
#ifndef GENERATOR_PLAN_DATA_WORD_SETTLING_H
#define GENERATOR_PLAN_DATA_WORD_SETTLING_H

#include "base/random.h"

#include <stddef.h>
#include <stdint.h>

/* Exchanges bits of words[count][word_sequence_room(bits)] between words, at the same place, until words that
 * follow each other differ in `wanted` bits, up to one, and the sum over times[a * count + b] is the nearest
 * to what it would be with exactly so many that exchanges find. times, of a < b: how often these two follow
 * each other in a round. pairs, likewise: other than 0 where they do anywhere; NULL: each two. */
void word_settling_make(uint64_t *words, size_t count, unsigned bits, const uint64_t *times,
                        const unsigned char *pairs, double wanted, struct random *random);

#endif
