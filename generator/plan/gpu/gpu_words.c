/* Waves take words of a region in steps of one and, from row to row, of another number of words; which that
 * is depends on the grid. So after the sequence is made, ones are moved between words until each step of the
 * stream changes the same number of bits, up to one or two, and a round of them as many as stated. Then a
 * part of a round has the rate too. */
#include "generator/plan/gpu/gpu_words.h"

#include "base/memory.h"
#include "generator/plan/data/word_sequence.h"
#include "generator/plan/gpu/gpu_data.h"
#include "generator/plan/gpu/gpu_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many bits the sequence has at least, and words: a channel of many sees as good a sample of all pairs.
 * Their numbers are prime, so that every channel and port comes by every word; those in which every second
 * word is inverted are even. */
enum { LEAST_BITS = 16000, PRIMES = 5 };
static const unsigned primes[PRIMES] = {61, 127, 251, 509, 1021};
enum { MOST_COUNT = 1022 };

/* Words that follow each other so often in a round. */
struct edge {
    uint32_t a, b;
    double times;
    double off; /* bits that differ, less those that should */
};

struct settling {
    uint64_t *words;
    size_t count, room;
    unsigned bits;
    uint64_t own; /* of each 64 bits those that may be one */
    struct edge *edges;
    size_t edge_count;
    uint32_t *first, *touching; /* touching[first[i] .. first[i + 1]): the edges of word i */
    double wanted;              /* bits that an edge should change */
    double excess, mean;        /* changes of a round beyond those wanted; mean times of an edge */
    struct random *random;
};

struct step_counts {
    uint64_t *times; /* [count * count] */
    size_t count;
    uint64_t same; /* from a word to itself */
};

static void count_step(const struct gpu_step *step, void *context)
{
    struct step_counts *counts = context;
    uint64_t a = step->from < step->to ? step->from : step->to, b = step->from ^ step->to ^ a;
    if (a != b)
        counts->times[a * counts->count + b] += step->times;
    else
        counts->same += step->times;
}

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

static void find_edges(struct settling *own, const struct step_counts *counts)
{
    size_t count = own->count, at = 0;
    double all = 0;
    own->first = memory_zeroed(count + 1, sizeof *own->first);
    for (size_t i = 0; i < count * count; i++)
        own->edge_count += counts->times[i] > 0;
    own->edges = memory_zeroed(own->edge_count + 1, sizeof *own->edges);
    own->touching = memory_zeroed(2 * own->edge_count + 1, sizeof *own->touching);
    for (size_t a = 0; a < count; a++)
        for (size_t b = a; b < count; b++)
            if (counts->times[a * count + b] > 0)
                own->edges[at++] =
                    (struct edge){(uint32_t)a, (uint32_t)b, (double)counts->times[a * count + b],
                                  differing(own, a, b) - own->wanted};
    at = 0;
    for (size_t word = 0; word < count; word++) {
        own->first[word] = (uint32_t)at;
        for (size_t i = 0; i < own->edge_count; i++)
            if (own->edges[i].a == word || own->edges[i].b == word)
                own->touching[at++] = (uint32_t)i;
    }
    own->first[count] = (uint32_t)at;
    for (size_t i = 0; i < own->edge_count; i++) {
        own->excess += own->edges[i].times * own->edges[i].off;
        all += own->edges[i].times;
    }
    own->mean = own->edge_count == 0 ? 1 : all / (double)own->edge_count;
}

/* Inverts a bit of a word; what this adds to the sum of the squares. */
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

/* Tries to exchange a one and a zero of two words in a wire: takes it if edges come nearer to what is wanted
 * or, once they are near (`finely`), if the round does. */
static void exchange(struct settling *own, size_t a, bool finely)
{
    unsigned wire = random_below(own->random, own->bits);
    size_t b = random_below(own->random, (uint32_t)own->count);
    if (bit_of(own, a, wire) == bit_of(own, b, wire) || (own->own >> wire % 64 & 1) == 0)
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
    bool far = own->edge_count > 0;
    for (unsigned round = 0; far && round < TRIES; round++) {
        far = false;
        for (size_t i = 0; i < own->edge_count; i++) {
            const struct edge *edge = &own->edges[i];
            for (unsigned k = 0; k < TRIES && fabs(edge->off) >= 1.5; k++)
                exchange(own, k % 2 == 0 ? edge->a : edge->b, false);
            far = far || fabs(edge->off) >= 1.5;
        }
    }
    /* A round changes each wire an even number of times. */
    for (unsigned k = 0; own->edge_count > 0 && k < FINE_TRIES && fabs(own->excess) > 1; k++)
        exchange(own, random_below(own->random, (uint32_t)own->count), true);
}

/* True if loads of the stream have data with the same rate, on an equal bus. */
static bool is_alike(const struct gpu_plan *plan, const struct gpu_stream *stream,
                     const struct gpu_stream *other)
{
    const struct behaviour *a = &plan->kernel->items[stream->item], *b = &plan->kernel->items[other->item];
    return !other->store && !other->chase && behaviour_toggles(b) && a->toggle == b->toggle &&
           a->zeros == b->zeros && gpu_stream_bus(plan, stream) == gpu_stream_bus(plan, other);
}

static void count_steps(const struct gpu_plan *plan, const struct gpu_stream *stream, size_t count,
                        struct step_counts *counts)
{
    memset(counts->times, 0, count * count * sizeof *counts->times);
    counts->count = count;
    gpu_order_visit(plan, stream, count, count_step, counts);
}

/* The first of these numbers of words, long enough, for which no step of a stream alike is from a word to
 * itself. */
static size_t choose_count(const struct gpu_plan *plan, const struct gpu_stream *stream, unsigned bits,
                           bool inverts, struct step_counts *counts)
{
    size_t count = 0;
    for (unsigned i = 0; i < PRIMES; i++) {
        if (i + 1 < PRIMES && primes[i] * bits < LEAST_BITS)
            continue;
        count = inverts ? primes[i] + 1 : primes[i];
        counts->same = 0;
        for (size_t k = 0; k < plan->stream_count; k++)
            if (is_alike(plan, stream, &plan->streams[k]))
                count_steps(plan, &plan->streams[k], count, counts);
        if (counts->same == 0)
            return count;
    }
    return count;
}

void gpu_words_make(struct gpu_plan *plan, struct gpu_stream *stream, struct random *random)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    unsigned bus = gpu_stream_bus(plan, stream), parts = 0, part = 0;
    bool inverts = item->toggle > 0.5;
    struct settling own = {.bits = 8 * bus, .own = behaviour_own_bits(item), .random = random};
    struct step_counts counts = {memory_zeroed((size_t)MOST_COUNT * MOST_COUNT, sizeof *counts.times), 0, 0};
    own.room = word_sequence_room(own.bits);
    own.count = choose_count(plan, stream, own.bits, inverts, &counts);
    own.wanted = item->toggle * own.bits;
    for (size_t i = 0; i < plan->stream_count && !inverts; i++) {
        part += &plan->streams[i] < stream && is_alike(plan, stream, &plan->streams[i]);
        parts += is_alike(plan, stream, &plan->streams[i]);
    }
    parts = parts == 0 ? 1 : parts;
    uint64_t *words = memory_zeroed(parts * own.count * own.room, sizeof *words);
    uint64_t *mask = memory_zeroed(own.room, sizeof *mask);
    for (size_t i = 0; i < own.room; i++)
        mask[i] = own.own;
    const struct word_sequence request = {.bits = own.bits,
                                          .count = parts * own.count,
                                          .toggle = item->toggle,
                                          .own = mask,
                                          .program_order = inverts};
    word_sequence_make(&request, random, words);
    own.words = words + part * own.count * own.room;
    count_steps(plan, stream, own.count, &counts);
    find_edges(&own, &counts);
    settle(&own);
    unsigned char *bytes = arena_alloc(&plan->arena, own.count * bus, 1);
    for (size_t i = 0; i < own.count * bus; i++)
        bytes[i] = (unsigned char)(own.words[i / bus * own.room + i % bus / 8] >> 8 * (i % bus % 8));
    stream->rule.words = bytes;
    stream->rule.word_bytes = own.count * bus;
    free(mask);
    free(counts.times);
    free(words);
    free(own.edges);
    free(own.first);
    free(own.touching);
}
