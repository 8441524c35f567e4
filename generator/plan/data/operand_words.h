/* The words in an operation's operand registers, and which instance uses which: with few registers, the words
 * of consecutive instances differ in exactly as many bits as the recipe's pattern states. */
#ifndef GENERATOR_PLAN_DATA_OPERAND_WORDS_H
#define GENERATOR_PLAN_DATA_OPERAND_WORDS_H

#include "base/random.h"
#include "generator/kernel/kernel.h"

#include <stdint.h>

enum { OPERAND_WORDS = 16 };

/* A pattern of words for the instances of one pass. */
struct operand_words {
    uint64_t words[OPERAND_WORDS]; /* one per register, 32-bit words in the lower half */
    unsigned count;
    unsigned pairs, extra; /* of a toggling share: every second instance uses words[1], or words[2] in `extra`
                              of the `pairs` */
};

/* Fills *made for that many instances per pass. A toggling share alternates between words[0] and the others:
 * the share of bits that change is the nearest to the pattern's that two flips can reach. False if a list has
 * more words than OPERAND_WORDS. */
bool operand_words_make(const struct behaviour *item, unsigned instances, struct random *random,
                        struct operand_words *made);

/* Which of `count` contents an instance has: each in turn if pairs is 0; else every second one has content 1,
 * or 2 in `extra` of the `pairs`, evenly spread, and the others have content 0. */
static inline unsigned operand_turn(unsigned count, unsigned pairs, unsigned extra, unsigned instance)
{
    unsigned long long pair = instance / 2;
    if (pairs == 0)
        return count <= 1 ? 0 : instance % count;
    if (instance % 2 == 0)
        return 0;
    return (pair + 1) * extra / pairs > pair * extra / pairs ? 2 : 1;
}

/* The index of the instance's word. */
static inline unsigned operand_words_of(const struct operand_words *made, unsigned instance)
{
    return operand_turn(made->count, made->pairs, made->extra, instance);
}

#endif
