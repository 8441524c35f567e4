/* Counts of the bits that streams of words have and change, in each order in which hardware may deal the
 * words out: as the program accesses them, to two, three or four ports or channels in turn, and by address.
 */
#ifndef GENERATOR_PLAN_DATA_WORD_TALLY_H
#define GENERATOR_PLAN_DATA_WORD_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum word_dealing {
    DEALT_IN_PROGRAM_ORDER,
    DEALT_TO_TWO,
    DEALT_TO_THREE,
    DEALT_TO_FOUR,
    DEALT_BY_ADDRESS,
    WORD_DEALINGS
};

/* All zeros: nothing counted yet. */
struct word_tally {
    double words, bits, ones;
    double flips[WORD_DEALINGS]; /* from each word to the next that the same port gets, cyclically */
};

/* Adds words[count][(bits + 63) / 64], which come `times` times; narrower words are at the lower end, with
 * zeros above. addresses: [count] where each word lies, which equal ones read once, or, if written, write in
 * turn; NULL: registers, which have no order but the program's. */
void word_tally_add(struct word_tally *tally, const uint64_t *words, unsigned bits, size_t count,
                    const uint64_t *addresses, bool written, double times);

/* Share of the bits that change in that order. */
double word_tally_rate(const struct word_tally *tally, enum word_dealing dealing);

/* The rate, of those in the other orders than the program's, that is farthest from the wanted one. */
double word_tally_dealt(const struct word_tally *tally, double wanted);

#endif
