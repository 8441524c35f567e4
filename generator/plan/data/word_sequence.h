/* A cyclic sequence of words whose toggle rate holds however hardware deals the words out. Two load ports, or
 * two channels, see every second word each, and a row of memory sees them by address: so the share of bits
 * that change is exact from each word to the next, and near the same over every second, third and fourth word
 * and in any further order that the caller names. Each bit position is a wire: it has ones and zeros at
 * random with probability p, where 2p(1-p) is the rate, and a search then moves ones in time until all orders
 * agree. */
#ifndef GENERATOR_PLAN_DATA_WORD_SEQUENCE_H
#define GENERATOR_PLAN_DATA_WORD_SEQUENCE_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every so many words are compared: 1 is program order, the others are those of that many ports. */
enum { WORD_SEQUENCE_LAGS = 4 };

/* Fewest words of which the second, third and fourth after each are others. */
enum { WORD_SEQUENCE_LEAST = WORD_SEQUENCE_LAGS + 1 };

/* A further order, such as that of addresses: which word follows each. Several rings, each of which closes,
 * are lines that are stepped through separately. */
struct word_order {
    const uint32_t *after; /* [count]: each index once */
};

struct word_sequence {
    unsigned bits;       /* of a word, at least 1 */
    size_t count;        /* words, at least 1 */
    double toggle;       /* share of all bits that differ from one word to the next, 0 to 1 */
    const uint64_t *own; /* bits that may be one, as in a word; the others are zero. NULL: all */
    bool program_order;  /* only program order counts: required above 0.5, where other orders cannot agree */
    const struct word_order *orders; /* [order_count], at most WORD_SEQUENCE_ORDERS */
    size_t order_count;
};

enum { WORD_SEQUENCE_ORDERS = 4 };

/* Elements of uint64_t that hold a word. */
static inline size_t word_sequence_room(unsigned bits)
{
    return (bits + 63) / 64;
}

/* Fills words[count][word_sequence_room(bits)], bit i of a word at bit i % 64 of element i / 64. The number
 * of changes in program order, with that from the last word to the first, is the even number nearest to
 * toggle * bits * count that the sequence can have; half of its own bits are ones, each word apart. With
 * fewer than WORD_SEQUENCE_LEAST words other orders do not have the rate. Equal requests and random states
 * give equal words. */
void word_sequence_make(const struct word_sequence *request, struct random *random, uint64_t *words);

/* Fills after[count] for one ring: at[i] is the i-th word of that order. */
void word_sequence_ring(const uint32_t *at, size_t count, uint32_t *after);

#endif
