#include "generator/plan/data/word_tally.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

struct located_word {
    uint64_t address;
    size_t word;
};

static int by_address(const void *a, const void *b)
{
    const struct located_word *first = a, *second = b;
    if (first->address != second->address)
        return first->address < second->address ? -1 : 1;
    return first->word < second->word ? -1 : first->word > second->word;
}

static unsigned flips_between(const uint64_t *words, size_t room, size_t a, size_t b)
{
    unsigned flips = 0;
    for (size_t i = 0; i < room; i++)
        flips += (unsigned)__builtin_popcountll(words[a * room + i] ^ words[b * room + i]);
    return flips;
}

/* Flips per address, times the words. */
static double flips_by_address(const uint64_t *words, size_t room, size_t count, const uint64_t *addresses,
                               bool written)
{
    struct located_word *all = memory_zeroed(count, sizeof *all);
    size_t distinct = 0;
    uint64_t flips = 0;
    for (size_t i = 0; i < count; i++)
        all[i] = (struct located_word){addresses[i], i};
    qsort(all, count, sizeof *all, by_address);
    for (size_t i = 0; i < count; i++)
        if (written || distinct == 0 || all[distinct - 1].address != all[i].address)
            all[distinct++] = all[i];
    for (size_t i = 0; i < distinct; i++)
        flips += flips_between(words, room, all[i].word, all[(i + 1) % distinct].word);
    free(all);
    return (double)flips / (double)distinct * (double)count;
}

void word_tally_add(struct word_tally *tally, const uint64_t *words, unsigned bits, size_t count,
                    const uint64_t *addresses, bool written, double times)
{
    size_t room = (bits + 63) / 64;
    if (count == 0)
        return;
    tally->words += times * (double)count;
    tally->bits += times * (double)count * bits;
    for (size_t i = 0; i < count * room; i++)
        tally->ones += times * (unsigned)__builtin_popcountll(words[i]);
    double flips[WORD_DEALINGS] = {0};
    for (size_t lag = 1; lag <= DEALT_BY_ADDRESS; lag++)
        for (size_t i = 0; i < count; i++)
            flips[lag - 1] += flips_between(words, room, i, (i + lag) % count);
    flips[DEALT_BY_ADDRESS] = addresses == NULL ? flips[DEALT_IN_PROGRAM_ORDER]
                                                : flips_by_address(words, room, count, addresses, written);
    for (int dealing = 0; dealing < WORD_DEALINGS; dealing++)
        tally->flips[dealing] += times * flips[dealing];
}

double word_tally_rate(const struct word_tally *tally, enum word_dealing dealing)
{
    return tally->bits == 0 ? 0 : tally->flips[dealing] / tally->bits;
}

double word_tally_dealt(const struct word_tally *tally, double wanted)
{
    double farthest = wanted;
    for (int dealing = DEALT_TO_TWO; dealing < WORD_DEALINGS; dealing++) {
        double rate = word_tally_rate(tally, dealing);
        if (fabs(rate - wanted) > fabs(farthest - wanted))
            farthest = rate;
    }
    return farthest;
}
