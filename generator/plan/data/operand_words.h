/* The words in an operation's operand registers, and which instance uses which: with few registers, the words
 * of consecutive instances differ in exactly as many bits as the recipe's pattern states, and those of every
 * second, third and fourth instance in nearly as many. */
#ifndef GENERATOR_PLAN_DATA_OPERAND_WORDS_H
#define GENERATOR_PLAN_DATA_OPERAND_WORDS_H

#include "base/arena.h"
#include "base/random.h"
#include "generator/kernel/kernel.h"
#include "generator/plan/data/word_sequence.h"

#include <stdint.h>

enum { OPERAND_WORDS = 16 };

/* A pattern of words for the instances of one pass. */
struct operand_words {
    uint64_t words[OPERAND_WORDS]; /* one per register, 32-bit words in the lower half */
    unsigned count;
    const unsigned char *turns; /* [instances]: which word each uses; NULL: each in turn */
};

/* Fills *made, with its turns from the arena, for that many instances per pass. A toggling share has two
 * words in an order in which half of the instances differ from those 1 to 4 before them, and a third with one
 * bit more in some places: the share of bits that change is the nearest to the pattern's that two flips can
 * reach. In program order alone the words alternate. addresses: the order of what stores write by address, in
 * which half differ, too; NULL: none. False if a list has more words than OPERAND_WORDS. */
bool operand_words_make(const struct behaviour *item, unsigned instances, const struct word_order *addresses,
                        struct random *random, struct arena *arena, struct operand_words *made);

/* Fills turns[count] with 0, 1 and 2 such that the contents of registers change in exactly *flips places, or
 * as many as can: contents 1 and 2 differ from 0 in *each places and one more. *each is at most `most`.
 * Returns how many different contents there are. */
unsigned operand_turns_make(unsigned count, bool program_order, unsigned most, unsigned long long flips,
                            const struct word_order *addresses, struct random *random, unsigned char *turns,
                            unsigned *each);

/* Chooses the operand contents of each operation, for that many units per pass: the recipe's data, or else
 * the templates' word; count 0 for those that use the data's address. *words: [kernel->count], from the
 * arena. STATUS_RECIPE if a list is too long for the registers. */
enum status operand_words_choose(const struct kernel *kernel, const struct template *templates,
                                 unsigned units, uint64_t seed, struct arena *arena,
                                 struct operand_words **words, struct error *error);

/* A word of a behaviour's. */
struct operand_word {
    size_t item;
    unsigned word;
};

/* Finds a word before this one of the index-th behaviour whose register can hold both: instances of one
 * operation, or stores, of which the wider one is first, have it or one that ends in it. */
bool operand_words_same(const struct kernel *kernel, const struct operand_words *words, size_t index,
                        unsigned word, struct operand_word *same);

/* The index of the instance's word. */
static inline unsigned operand_words_of(const struct operand_words *made, unsigned instance)
{
    return made->turns != NULL ? made->turns[instance] : made->count <= 1 ? 0 : instance % made->count;
}

#endif
