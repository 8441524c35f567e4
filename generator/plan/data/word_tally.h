/* Counts ones and flips in streams of words, in each order in which hardware may transfer the words: in
 * program order, in turn over two, three or four ports or channels, and by address. */
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
    double
        flips[WORD_DEALINGS]; /* bits that change from each word to the next at the same port, cyclically */
};

/* Adds words[count][(bits + 63) / 64], each of which is transferred `times` times; narrower words are at the
 * lower end, with zeros above. addresses[count]: the address of each word; reads of one address count once in
 * the order by address, writes each in turn. NULL: registers, which have program order alone. */
void word_tally_add(struct word_tally *tally, const uint64_t *words, unsigned bits, size_t count,
                    const uint64_t *addresses, bool written, double times);

/* The share of the bits that change in that order. */
double word_tally_rate(const struct word_tally *tally, enum word_dealing dealing);

/* The rate that is farthest from the wanted one, among all orders except program order. */
double word_tally_dealt(const struct word_tally *tally, double wanted);

#endif
