/* The words that an operation's operand registers hold, and which instance takes which: with few registers,
 * the words of consecutive instances differ in exactly as many bits as the recipe's pattern says. */
#ifndef GENERATOR_PLAN_OPERAND_WORDS_H
#define GENERATOR_PLAN_OPERAND_WORDS_H

#include "base/random.h"
#include "generator/kernel/kernel.h"

#include <stdint.h>

enum { OPERAND_WORDS = 16 };

/* A pattern of words for the instances of one pass. */
struct operand_words {
    uint64_t words[OPERAND_WORDS]; /* a register each, 32-bit ones in the lower half */
    unsigned count;
    unsigned pairs, extra; /* of a share that toggles: every second instance has words[1], in `extra` of the
                              `pairs` words[2] */
};

/* Fills *made for that many instances a pass. A share that toggles goes there and back between words[0] and
 * the others, so that the share of bits that change is the nearest to the pattern's that two flips can come.
 * False when a list has more words than OPERAND_WORDS. */
bool operand_words_make(const struct behaviour *item, unsigned instances, struct random *random,
                        struct operand_words *made);

/* The word that the instance takes. */
static inline unsigned operand_words_of(const struct operand_words *made, unsigned instance)
{
    unsigned long long pair = instance / 2;
    if (made->pairs == 0)
        return made->count <= 1 ? 0 : instance % made->count;
    if (instance % 2 == 0)
        return 0;
    return (pair + 1) * made->extra / made->pairs > pair * made->extra / made->pairs ? 2 : 1;
}

#endif
