#include "generator/plan/data/data_words.h"

#include <math.h>

enum { WORD_BITS = 64 };

/* A word with as many ones as zeros in its lower `bits`. */
static uint64_t balanced_word(const unsigned char *order, unsigned bits)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < bits / 2; i++)
        word |= UINT64_C(1) << order[i];
    return word;
}

/* Flips the next bits of the order, cyclically, so that all bits flip equally often and none twice in a step.
 */
static uint64_t flip(uint64_t word, const unsigned char *order, unsigned bits, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        word ^= UINT64_C(1) << order[i % bits];
    return word;
}

static void fill_toggling(const struct behaviour *load, struct random *random, uint64_t *values, size_t count)
{
    unsigned bits = 8 * behaviour_lane(load);
    unsigned char order[WORD_BITS];
    for (unsigned i = 0; i < bits; i++)
        order[i] = (unsigned char)i;
    random_shuffle(random, order, bits);
    values[0] = balanced_word(order, bits);
    random_shuffle(random, order, bits);
    uint64_t half = count / 2;
    uint64_t flips = half == 0 ? 0 : (uint64_t)llround(load->toggle * bits * (double)count / 2);
    if (flips > half * bits)
        flips = half * bits;
    /* Step i flips the same bits in both halves; with an odd count the last step flips none. */
    for (uint64_t i = 0; i + 1 < count; i++) {
        uint64_t step = half == 0 ? 0 : i % half;
        bool moves = i < 2 * half;
        values[i + 1] =
            moves ? flip(values[i], order, bits, step * flips / half, (step + 1) * flips / half) : values[i];
    }
}

void data_words_fill(const struct behaviour *load, struct random *random, uint64_t *values, size_t count)
{
    if (load->word_count == 0) {
        fill_toggling(load, random, values, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        values[i] = load->words[i % load->word_count];
}

static unsigned lanes_of(const unsigned *lanes, size_t index)
{
    return lanes == NULL ? 1 : lanes[index];
}

double data_words_toggle_rate(const uint64_t *values, const unsigned *lanes, size_t count, unsigned bits)
{
    double changed = 0;
    for (size_t i = 0; i < count; i++) {
        size_t next = (i + 1) % count;
        unsigned here = lanes_of(lanes, i);
        unsigned there = lanes_of(lanes, next);
        unsigned both = here < there ? here : there;
        changed += (double)both * __builtin_popcountll(values[i] ^ values[next]);
        changed += (double)(here - both) * __builtin_popcountll(values[i]);
        changed += (double)(there - both) * __builtin_popcountll(values[next]);
    }
    return changed / ((double)count * bits);
}

double data_words_ones_rate(const uint64_t *values, const unsigned *lanes, size_t count, unsigned bits)
{
    double ones = 0;
    for (size_t i = 0; i < count; i++)
        ones += (double)lanes_of(lanes, i) * __builtin_popcountll(values[i]);
    return ones / ((double)count * bits);
}
