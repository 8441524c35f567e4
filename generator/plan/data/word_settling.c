#include "generator/plan/data/word_settling.h"

#include "base/memory.h"
#include "generator/plan/data/word_sequence.h"

#include <math.h>
#include <stdlib.h>

/* Two words that follow each other, and their number of times in a round. */
struct edge {
    uint32_t a, b;
    double times;
    double off; /* bits that differ, minus the wanted number */
};

struct settling {
    uint64_t *words;
    size_t count, room;
    unsigned bits;
    struct edge *edges;
    size_t edge_count;
    uint32_t *first, *touching; /* touching[first[i] .. first[i + 1]): the edges of word i */
    double wanted;              /* bits that should change over an edge */
    double excess;              /* changes of a round beyond those wanted */
    struct random *random;
};

static bool bit_of(const struct settling *own, size_t word, unsigned wire)
{
    return own->words[word * own->room + wire / 64] >> wire % 64 & 1;
}

static double differing(const struct settling *own, size_t a, size_t b)
{
    unsigned count = 0;
    for (size_t i = 0; i < own->room; i++)
        count +=
            (unsigned)__builtin_popcountll(own->words[a * own->room + i] ^ own->words[b * own->room + i]);
    return count;
}

static void find_edges(struct settling *own, const uint64_t *times, const unsigned char *pairs)
{
    size_t count = own->count, at = 0;
    own->first = memory_zeroed(count + 1, sizeof *own->first);
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++)
            own->edge_count += pairs == NULL || pairs[a * count + b] != 0;
    own->edges = memory_zeroed(own->edge_count + 1, sizeof *own->edges);
    own->touching = memory_zeroed(2 * own->edge_count + 1, sizeof *own->touching);
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++)
            if (pairs == NULL || pairs[a * count + b] != 0)
                own->edges[at++] = (struct edge){(uint32_t)a, (uint32_t)b, (double)times[a * count + b],
                                                 differing(own, a, b) - own->wanted};
    at = 0;
    for (size_t word = 0; word < count; word++) {
        own->first[word] = (uint32_t)at;
        for (size_t i = 0; i < own->edge_count; i++)
            if (own->edges[i].a == word || own->edges[i].b == word)
                own->touching[at++] = (uint32_t)i;
    }
    own->first[count] = (uint32_t)at;
    for (size_t i = 0; i < own->edge_count; i++)
        own->excess += own->edges[i].times * own->edges[i].off;
}

/* Inverts a bit of a word. Returns what this adds to the sum of squared deviations. */
static double turn(struct settling *own, size_t word, unsigned wire)
{
    double more = 0;
    bool value = bit_of(own, word, wire);
    for (uint32_t i = own->first[word]; i < own->first[word + 1]; i++) {
        struct edge *edge = &own->edges[own->touching[i]];
        double by = bit_of(own, edge->a ^ edge->b ^ word, wire) == value ? 1 : -1;
        more += 2 * by * edge->off + 1;
        edge->off += by;
        own->excess += by * edge->times;
    }
    own->words[word * own->room + wire / 64] ^= UINT64_C(1) << wire % 64;
    return more;
}

/* Tries to exchange a one and a zero of a wire between two words. Keeps the exchange if edges come nearer to
 * the wanted number or, if `finely`, when they already are near, if the round does. */
static void exchange(struct settling *own, size_t a, bool finely)
{
    unsigned wire = random_below(own->random, own->bits);
    size_t b = random_below(own->random, (uint32_t)own->count);
    if (bit_of(own, a, wire) == bit_of(own, b, wire))
        return;
    double excess = fabs(own->excess);
    double more = turn(own, a, wire);
    more += turn(own, b, wire);
    if (finely ? fabs(own->excess) < excess && more <= 8 : more <= 0)
        return;
    turn(own, a, wire);
    turn(own, b, wire);
}

static void settle(struct settling *own)
{
    enum { TRIES = 64, FINE_TRIES = 20000 };
    const double NEAR = 1.01;
    bool far = own->edge_count > 0;
    for (unsigned round = 0; far && round < TRIES; round++) {
        far = false;
        for (size_t i = 0; i < own->edge_count; i++) {
            const struct edge *edge = &own->edges[i];
            for (unsigned k = 0; k < TRIES && fabs(edge->off) >= NEAR; k++)
                exchange(own, k % 2 == 0 ? edge->a : edge->b, false);
            far = far || fabs(edge->off) >= NEAR;
        }
    }
    /* A round changes each wire an even number of times. */
    for (unsigned k = 0; own->edge_count > 0 && k < FINE_TRIES && fabs(own->excess) > 1; k++)
        exchange(own, random_below(own->random, (uint32_t)own->count), true);
}

void word_settling_make(uint64_t *words, size_t count, unsigned bits, const uint64_t *times,
                        const unsigned char *pairs, double wanted, struct random *random)
{
    struct settling own = {.words = words,
                           .count = count,
                           .room = word_sequence_room(bits),
                           .bits = bits,
                           .wanted = wanted,
                           .random = random};
    find_edges(&own, times, pairs);
    settle(&own);
    free(own.edges);
    free(own.first);
    free(own.touching);
}
