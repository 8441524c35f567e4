/* Waves take words of a region in steps of one and, from row to row, of another number of words; which that
 * is depends on the grid. So after the sequence is made, ones are moved between words until each step of the
 * stream changes the same number of bits, up to one or two, and a round of them as many as stated. Then a
 * part of a round has the rate too. */
#include "generator/plan/gpu/gpu_words.h"

#include "base/memory.h"
#include "generator/plan/data/word_sequence.h"
#include "generator/plan/data/word_settling.h"
#include "generator/plan/gpu/gpu_order.h"

#include <stdlib.h>
#include <string.h>

/* How many bits the sequence has at least, and words: a channel of many sees as good a sample of all pairs.
 * Their numbers are prime, so that every channel and port comes by every word, and far from multiples of
 * powers of two: the lines that a channel serves one after the other are such numbers of words apart, less
 * the few of an access. Those in which every second word is inverted are even. */
enum { LEAST_BITS = 13500, PRIMES = 4, MOST_COUNT = 908 };
static const unsigned primes[PRIMES] = {107, 233, 461, 907};

struct step_counts {
    uint64_t *times;      /* [count * count] */
    unsigned char *pairs; /* [count * count]: not 0 where a block makes the step, if not that of the round */
    size_t count;
    uint64_t same; /* from a word to itself */
};

static void count_step(const struct gpu_step *step, void *context)
{
    struct step_counts *counts = context;
    uint64_t a = step->from < step->to ? step->from : step->to, b = step->from ^ step->to ^ a;
    counts->pairs[a * counts->count + b] = 1;
    if (a != b)
        counts->times[a * counts->count + b] += step->times;
    else
        counts->same += step->times;
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
    memset(counts->pairs, 0, count * count);
    counts->count = count;
    gpu_order_visit(plan, stream, count, count_step, counts);
}

/* True if the words of one row are nearly those of the next: a port that takes every second to fourth would
 * see few others. */
static bool rows_meet(const struct gpu_plan *plan, const struct gpu_stream *stream, size_t count)
{
    enum { APART = 3 };
    uint64_t step = stream->step / gpu_stream_bus(plan, stream), apart = step % count;
    return step >= count && (apart <= APART || count - apart <= APART);
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
        bool meets = false;
        for (size_t k = 0; k < plan->stream_count; k++)
            if (is_alike(plan, stream, &plan->streams[k])) {
                count_steps(plan, &plan->streams[k], count, counts);
                meets = meets || rows_meet(plan, &plan->streams[k], count);
            }
        if (counts->same == 0 && !meets)
            return count;
    }
    return count;
}

void gpu_words_make(struct gpu_plan *plan, struct gpu_stream *stream, struct random *random)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    unsigned bus = gpu_stream_bus(plan, stream), bits = 8 * bus, parts = 0, part = 0;
    bool inverts = item->toggle > 0.5;
    struct step_counts counts = {.times =
                                     memory_zeroed((size_t)MOST_COUNT * MOST_COUNT, sizeof *counts.times),
                                 .pairs = memory_zeroed((size_t)MOST_COUNT * MOST_COUNT, 1)};
    size_t room = word_sequence_room(bits), count = choose_count(plan, stream, bits, inverts, &counts);
    for (size_t i = 0; i < plan->stream_count && !inverts; i++) {
        part += &plan->streams[i] < stream && is_alike(plan, stream, &plan->streams[i]);
        parts += is_alike(plan, stream, &plan->streams[i]);
    }
    parts = parts == 0 ? 1 : parts;
    uint64_t *words = memory_zeroed(parts * count * room, sizeof *words);
    uint64_t *mask = memory_zeroed(room, sizeof *mask);
    for (size_t i = 0; i < room; i++)
        mask[i] = behaviour_own_bits(item);
    const struct word_sequence request = {
        .bits = bits, .count = parts * count, .toggle = item->toggle, .own = mask, .program_order = inverts};
    word_sequence_make(&request, random, words);
    const uint64_t *own = words + part * count * room;
    count_steps(plan, stream, count, &counts);
    word_settling_make(words + part * count * room, count, bits, counts.times, counts.pairs,
                       item->toggle * bits, random);
    unsigned char *bytes = arena_alloc(&plan->arena, count * bus, 1);
    for (size_t i = 0; i < count * bus; i++)
        bytes[i] = (unsigned char)(own[i / bus * room + i % bus / 8] >> 8 * (i % bus % 8));
    stream->rule.words = bytes;
    stream->rule.word_bytes = count * bus;
    free(mask);
    free(counts.times);
    free(counts.pairs);
    free(words);
}
