/* The words in an operation's operand registers, and which instance uses which word. With few registers, the
 * words of consecutive instances differ in exactly as many bits as the recipe's pattern states, and those of
 * every second, third and fourth instance in nearly as many. */
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
    const unsigned char *turns; /* [instances]: index of the word that each uses; NULL: the words in turn */
};

/* Fills *made, with its turns from the arena, for that many instances per pass. A toggle rate gets two words,
 * in an order in which half of the instances differ from the one 1, 2, 3 and 4 before them; a third word,
 * with one more bit, replaces the second in some places, so that the rate is the nearest that pairs of flips
 * can reach. If the pattern promises program order alone, the words alternate. addresses: the order by
 * address of the words that stores write, in which half differ, too; NULL: none. False if a list has more
 * words than OPERAND_WORDS. */
bool operand_words_make(const struct behaviour *item, unsigned instances, const struct word_order *addresses,
                        struct random *random, struct arena *arena, struct operand_words *made);

/* Fills turns[count] with 0, 1 and 2, so that `flips` bits change in a pass, or as near to that as possible:
 * word 1 differs from word 0 in *each bits, at most `most`, and word 2 in one more. Returns the number of
 * different words. */
unsigned operand_turns_make(unsigned count, bool program_order, unsigned most, unsigned long long flips,
                            const struct word_order *addresses, struct random *random, unsigned char *turns,
                            unsigned *each);

/* Chooses the operands of each operation, for that many units per pass: the recipe's data, or else the
 * templates' word. The count is 0 for operations on the data's address. *words: [kernel->count], from the
 * arena. STATUS_RECIPE if a list is too long for the registers. */
enum status operand_words_choose(const struct kernel *kernel, const struct template *templates,
                                 unsigned units, uint64_t seed, struct arena *arena,
                                 struct operand_words **words, struct error *error);

/* A word of one behaviour. */
struct operand_word {
    size_t item;
    unsigned word;
};

/* Finds an earlier word that can share a register with this word of the index-th behaviour: both behaviours
 * are the same operation, or stores of which the earlier is the wider, and the earlier word equals this one
 * or ends in it. False if there is none. */
bool operand_words_same(const struct kernel *kernel, const struct operand_words *words, size_t index,
                        unsigned word, struct operand_word *same);

/* The index of the instance's word. */
static inline unsigned operand_words_of(const struct operand_words *made, unsigned instance)
{
    return made->turns != NULL ? made->turns[instance] : made->count <= 1 ? 0 : instance % made->count;
}

#endif
