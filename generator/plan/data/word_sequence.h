/* A cyclic sequence of words whose toggle rate holds however hardware distributes the words. Two load ports,
 * or two channels, each transfer every second word, and a row of memory transfers words by address. So the
 * share of bits that change is exact from each word to the next, and nearly the same over every second, third
 * and fourth word and in any further order that the caller names. Each bit position is a wire. It starts with
 * random ones of probability p, where 2p(1-p) is the rate, and a search then moves ones in time until all
 * orders agree. */
#ifndef GENERATOR_PLAN_DATA_WORD_SEQUENCE_H
#define GENERATOR_PLAN_DATA_WORD_SEQUENCE_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Distances at which words are compared, 1 to this: 1 is program order, the others are the orders at that
 * many ports. */
enum { WORD_SEQUENCE_LAGS = 4 };

/* The fewest words in which the second, third and fourth after each are different words. */
enum { WORD_SEQUENCE_LEAST = WORD_SEQUENCE_LAGS + 1 };

/* A further order, such as by address: the word that follows each word. It may consist of several separate
 * rings. */
struct word_order {
    const uint32_t *after; /* [count]: each index once */
};

struct word_sequence {
    unsigned bits;       /* of a word, at least 1 */
    size_t count;        /* words, at least 1 */
    double toggle;       /* share of all bits that differ from one word to the next, 0 to 1 */
    const uint64_t *own; /* mask, as in a word, of the bits that may be one; the others are zero. NULL: all */
    bool program_order;  /* only program order counts: required for a toggle above 0.5, where other orders
                            cannot agree */
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
 * of changes in program order, including those from the last word to the first, is the even number nearest to
 * toggle * bits * count that the sequence can have; nearly half of the bits that may be one are. With fewer
 * than WORD_SEQUENCE_LEAST words other orders do not have the rate. Equal requests and random states give
 * equal words. */
void word_sequence_make(const struct word_sequence *request, struct random *random, uint64_t *words);

/* Fills after[count] for one ring: at[i] is the i-th word of that order. */
void word_sequence_ring(const uint32_t *at, size_t count, uint32_t *after);

#endif
