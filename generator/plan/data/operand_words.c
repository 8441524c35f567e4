#include "generator/plan/data/operand_words.h"

#include <math.h>

enum { WORD_BITS = 64 };

/* An order of the bits that alternates between ones and zeros of the word, so that flips in this order keep
 * their numbers equal. */
static uint64_t balanced_word(struct random *random, unsigned bits, unsigned char order[WORD_BITS])
{
    unsigned char shuffled[WORD_BITS];
    uint64_t word = 0;
    for (unsigned i = 0; i < bits; i++)
        shuffled[i] = (unsigned char)i;
    random_shuffle(random, shuffled, bits);
    for (unsigned i = 0; i < bits; i++) {
        order[i] = shuffled[i % 2 * (bits / 2) + i / 2];
        word |= i % 2 == 0 ? UINT64_C(1) << order[i] : 0;
    }
    return word;
}

static uint64_t flipped(uint64_t word, const unsigned char *order, unsigned bits)
{
    for (unsigned i = 0; i < bits; i++)
        word ^= UINT64_C(1) << order[i];
    return word;
}

static void make_toggling(const struct behaviour *item, unsigned instances, struct random *random,
                          struct operand_words *made)
{
    unsigned bits = 8 * behaviour_lane(item);
    unsigned char order[WORD_BITS];
    unsigned pairs = instances / 2;
    made->words[0] = balanced_word(random, bits, order);
    made->count = 1;
    unsigned long long flips =
        pairs == 0 ? 0 : (unsigned long long)llround(item->toggle * bits * instances / 2);
    if (flips > (unsigned long long)pairs * bits)
        flips = (unsigned long long)pairs * bits;
    if (flips == 0)
        return;
    unsigned each = (unsigned)(flips / pairs);
    made->pairs = pairs;
    made->extra = (unsigned)(flips % pairs);
    made->words[made->count++] = flipped(made->words[0], order, each);
    if (made->extra > 0)
        made->words[made->count++] = flipped(made->words[0], order, each + 1);
}

bool operand_words_make(const struct behaviour *item, unsigned instances, struct random *random,
                        struct operand_words *made)
{
    *made = (struct operand_words){.count = 1};
    made->words[0] = item->word;
    if (item->changes && item->word_count == 0)
        make_toggling(item, instances, random, made);
    if (item->word_count > OPERAND_WORDS)
        return false;
    for (size_t i = 0; i < item->word_count; i++)
        made->words[i] = item->words[i];
    made->count = item->word_count > 0 ? (unsigned)item->word_count : made->count;
    return true;
}
