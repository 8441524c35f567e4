/* Evens out a sequence (word_sequence.h): moves ones between words until every word differs from each word
 * that follows it in the same number of bits. Then a part of a program's transfers has the rate of the whole.
 */
#ifndef GENERATOR_PLAN_DATA_WORD_SETTLING_H
#define GENERATOR_PLAN_DATA_WORD_SETTLING_H

#include "base/random.h"

#include <stddef.h>
#include <stdint.h>

/* Exchanges bits at the same position between words of words[count][word_sequence_room(bits)], until words
 * that follow each other differ in `wanted` bits, to within one, and the changes of a round are as near to
 * the wanted number as exchanges get. times[a * count + b], for a < b: times that the two words follow each
 * other in a round. pairs, indexed likewise: nonzero if the two ever follow each other; NULL: all pairs do.
 */
void word_settling_make(uint64_t *words, size_t count, unsigned bits, const uint64_t *times,
                        const unsigned char *pairs, double wanted, struct random *random);

#endif
