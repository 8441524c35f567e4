/* The contents of a GPU plan's streams, and the rates of their data on the bus, over every step in program
 * order, once around the region. */
#include "generator/plan/gpu/gpu_data.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/rational.h"
#include "generator/metric/metric.h"
#include "generator/plan/data/word_sequence.h"
#include "generator/plan/data/word_settling.h"
#include "generator/plan/gpu/gpu_image_sides.h"
#include "generator/plan/gpu/gpu_plan.h"
#include "generator/plan/gpu/gpu_reach.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- gpu order ---- */

/* The program order of a stream's transfers: the words of the bus that each wave of a block transfers, one
 * after the other, once around the stream's region and back to the first. */

/* A step from a transfer to the next: the places of their words in the region's data, in words of the bus. */
struct gpu_step {
    uint64_t from, to;
    uint64_t times; /* in the round; 0: only in rounds of blocks that begin at other rows */
};

typedef void gpu_step_visitor(const struct gpu_step *step, void *context);

/* One wave's walk. */
struct wave_walk {
    const struct gpu_stream *stream;
    uint64_t bus, period;
    uint64_t before,
        span; /* bytes from a row to the wave's first access, and from there to the end of its last access */
    gpu_step_visitor *visit;
    void *context;
};

/* The place of the word, limited to the last whole word of the data. */
static uint64_t place_of(const struct wave_walk *walk, uint64_t word)
{
    return word % walk->period;
}

/* Visits the steps within an access of the wave to the row; *first and *last are the access's words. */
static void visit_access(const struct wave_walk *walk, uint64_t row, uint64_t times, uint64_t *first,
                         uint64_t *last)
{
    const struct gpu_stream *stream = walk->stream;
    uint64_t bus = walk->bus, apart = stream->lane < bus ? bus : stream->lane;
    uint64_t reach = stream->lane < bus ? 1 : stream->width, before = UINT64_MAX;
    for (uint64_t at = 0; at < walk->span; at += apart)
        for (uint64_t word = (row + walk->before + at) / bus;
             word <= (row + walk->before + at + reach - 1) / bus; word++) {
            if (word == before)
                continue;
            const struct gpu_step step = {place_of(walk, before), place_of(walk, word), times};
            if (before != UINT64_MAX && walk->visit != NULL)
                walk->visit(&step, walk->context);
            *first = before == UINT64_MAX ? word : *first;
            *last = before = word;
        }
}

static void visit_link(const struct wave_walk *walk, uint64_t from_row, uint64_t to_row, uint64_t times)
{
    struct wave_walk quiet = *walk;
    uint64_t first = 0, last = 0, unused;
    quiet.visit = NULL;
    visit_access(&quiet, from_row, 0, &unused, &last);
    visit_access(&quiet, to_row, 0, &first, &unused);
    const struct gpu_step step = {place_of(walk, last), place_of(walk, first), times};
    walk->visit(&step, walk->context);
}

/* Bytes from the region's start to its row-th row. */
static uint64_t row_at(const struct gpu_stream *stream, uint64_t row)
{
    uint64_t dense = row * stream->step;
    return stream->dense == 0 ? dense : dense / stream->dense * stream->apart + dense % stream->dense;
}

/* Rows after which both the words and the chosen channels repeat. */
static uint64_t rows_of_words(const struct wave_walk *walk)
{
    const struct gpu_stream *stream = walk->stream;
    return walk->period * (stream->dense > 0 ? stream->dense / stream->step : 1);
}

/* The number of the first `count` numbers that are `own` modulo `every`. */
static uint64_t times_of(uint64_t count, uint64_t own, uint64_t every)
{
    return count / every + (own < count % every);
}

/* Visits the steps of a wave that makes `length` accesses to consecutive rows of the region, and begins
 * again. */
static void visit_round(const struct wave_walk *walk, uint64_t length)
{
    const struct gpu_stream *stream = walk->stream;
    uint64_t rows = stream->rows < length ? stream->rows : length;
    uint64_t among = rows_of_words(walk) < rows && length <= stream->rows ? rows_of_words(walk) : rows;
    uint64_t unused;
    for (uint64_t k = 0; k < among; k++) {
        visit_access(walk, row_at(stream, k), times_of(length, k, among), &unused, &unused);
        uint64_t next = k + 1 == rows && length > rows ? 0 : k + 1;
        uint64_t times = times_of(length - 1, k, among);
        if (times > 0)
            visit_link(walk, row_at(stream, k), row_at(stream, next), times);
    }
    visit_link(walk, row_at(stream, (length - 1) % rows), 0, 1);
    for (uint64_t k = 1; stream->ahead > 0 && k < rows_of_words(walk); k++) {
        visit_access(walk, row_at(stream, k), 0, &unused, &unused);
        visit_link(walk, row_at(stream, k), row_at(stream, k + 1), 0);
        visit_link(walk, row_at(stream, k + rows - 1), row_at(stream, k), 0);
    }
}

/* Visits each chunk of a side. The words continue from chunk to chunk, so as many chunks differ as the words'
 * period has. */
static void visit_chunks(const struct wave_walk *walk)
{
    const struct gpu_stream *stream = walk->stream;
    const struct gpu_rule *rule = &stream->rule;
    uint64_t unused;
    for (uint64_t chunk = 0; chunk < walk->period; chunk++) {
        uint64_t from = chunk * rule->chunk + rule->header;
        for (unsigned k = 0; k < stream->hop; k++) {
            visit_access(walk, from + k * stream->step, 1, &unused, &unused);
            if (k + 1 < stream->hop)
                visit_link(walk, from + k * stream->step, from + (k + 1) * stream->step, 1);
        }
    }
}

/* Visits the steps of all waves of the block that begins at the region's first row. Places are modulo
 * `period`, after which the words repeat. Each transfer is the `from` of one step. The order of a side's
 * chunks is learned only where the program runs, so each chunk is visited alone, without the step to the
 * next. Returns the accesses of a wave in a round. */
static uint64_t gpu_order_visit(const struct gpu_plan *plan, const struct gpu_stream *stream, uint64_t period,
                                gpu_step_visitor *visit, void *context)
{
    unsigned wave = plan->machine->gpu.wave;
    unsigned waves = stream->side != NULL ? 1 : (plan->threads + wave - 1) / wave;
    uint64_t length = stream->advance > 0 ? stream->rows : stream->per_pass;
    for (unsigned i = 0; i < waves; i++) {
        unsigned before = i * wave, threads = plan->threads - before < wave ? plan->threads - before : wave;
        struct wave_walk walk = {.stream = stream,
                                 .bus = gpu_stream_bus(plan, stream),
                                 .period = period,
                                 .before = before * stream->lane,
                                 .span = stream->lane * (threads - 1) + stream->width,
                                 .visit = visit,
                                 .context = context};
        if (stream->side != NULL)
            visit_chunks(&walk);
        else if (length > 0)
            visit_round(&walk, length);
    }
    return stream->side != NULL ? period * stream->hop : length;
}

/* ---- gpu data ---- */

enum {
    USUAL_BUS = 64,
    MOST_BUS = 128,
    CHASE_WORD = 8,
    LOOK_TRANSFERS = 4096,
    LOOK_CHUNKS = 4096,
    DEALT_BY_ADDRESS = 5
};

static const char DEALT[] = "data.toggle_rate.dealt";

/* Tolerance of a rate: bits are whole, and a region's end steps back to its start. */
static const double OFF_BY = 1e-3;

/* Greatest toggle rate that can hold in every order. */
static const double MOST_DEALT = 0.5;

/* ---- words ---- */

/* The words of data with a toggle rate are a long sequence (word_sequence.h), so that every channel, queue
 * and interleaving of waves has the rate, too. Waves advance by one word within a row and, from row to row,
 * by a number of words that depends on the grid. So after the sequence is made, ones are moved between words
 * until each step of the stream changes the same number of bits, to within one or two, and a round changes as
 * many as stated. Then a part of a round has the rate, too. */

/* The least bits of the sequence, and its numbers of words: so many that one of many channels transfers a
 * good sample of all pairs. The numbers are prime, so that every channel and port transfers every word, and
 * far from multiples of powers of two, because consecutive lines of a channel are about such numbers of words
 * apart. Sequences in which every second word is inverted have one word more, an even number. */
enum { LEAST_BITS = 13500, PRIMES = 4, MOST_COUNT = 908 };
static const unsigned primes[PRIMES] = {107, 233, 461, 907};

struct step_counts {
    uint64_t *times; /* [count * count] */
    unsigned char *
        pairs; /* [count * count]: nonzero if some block makes the step, even if the counted round does not */
    size_t count;
    uint64_t same; /* from a word to itself */
};

static void tally_step(const struct gpu_step *step, void *context)
{
    struct step_counts *counts = context;
    uint64_t a = step->from < step->to ? step->from : step->to, b = step->from ^ step->to ^ a;
    counts->pairs[a * counts->count + b] = 1;
    if (a != b)
        counts->times[a * counts->count + b] += step->times;
    else
        counts->same += step->times;
}

/* True if the stream's loads have data of the same rate on an equally wide bus. */
static bool is_alike(const struct gpu_plan *plan, const struct gpu_stream *stream,
                     const struct gpu_stream *other)
{
    const struct behaviour *a = &plan->kernel->items[stream->item], *b = &plan->kernel->items[other->item];
    return !other->store && !other->chase && behaviour_toggles(b) && a->toggle == b->toggle &&
           a->zeros == b->zeros && gpu_stream_bus(plan, stream) == gpu_stream_bus(plan, other);
}

static void tally_steps(const struct gpu_plan *plan, const struct gpu_stream *stream, size_t count,
                        struct step_counts *counts)
{
    memset(counts->times, 0, count * count * sizeof *counts->times);
    memset(counts->pairs, 0, count * count);
    counts->count = count;
    gpu_order_visit(plan, stream, count, tally_step, counts);
}

/* True if consecutive rows have nearly the same words: a port that transfers every second to fourth word
 * would then transfer few different ones. */
static bool rows_meet(const struct gpu_plan *plan, const struct gpu_stream *stream, size_t count)
{
    enum { APART = 3 };
    uint64_t step = stream->step / gpu_stream_bus(plan, stream), apart = step % count;
    return step >= count && (apart <= APART || count - apart <= APART);
}

/* The first of the numbers of words that is large enough and for which no step, of any stream with the same
 * rate, is from a word to itself. */
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
                tally_steps(plan, &plan->streams[k], count, counts);
                meets = meets || rows_meet(plan, &plan->streams[k], count);
            }
        if (counts->same == 0 && !meets)
            return count;
    }
    return count;
}

/* Sets the words of the stream's rule, which the plan's arena owns, for data with a toggle rate. The rows of
 * all streams must be laid out. If made from equal random states, streams of the same rate and bus get parts
 * of one sequence, so that the rate also holds where their accesses follow each other; above a rate of a
 * half, all get the same words. */
static void toggling_words(struct gpu_plan *plan, struct gpu_stream *stream, struct random *random)
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
    tally_steps(plan, stream, count, &counts);
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

/* ---- rules ---- */

uint64_t gpu_stream_word_rows(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    const struct behaviour *base = &plan->kernel->items[stream->item];
    bool inverts = !stream->store && behaviour_toggles(base) && base->toggle > 0.5;
    return inverts && stream->step % (2 * gpu_stream_bus(plan, stream)) != 0 ? 2 : 1;
}

static void make_words(struct gpu_plan *plan, struct gpu_stream *stream, unsigned bus)
{
    const struct behaviour *base = &plan->kernel->items[stream->item];
    unsigned lane = base->width < 8 ? base->width : 8;
    size_t count = base->changes ? base->word_count : 1;
    unsigned word_bytes = bus > base->width ? bus : base->width;
    unsigned char *words = arena_alloc(&plan->arena, count * word_bytes, 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t word = base->changes ? base->words[i] : base->word;
        for (unsigned byte = 0; byte < word_bytes; byte++)
            words[i * word_bytes + byte] = (unsigned char)(word >> 8 * (byte % lane));
    }
    stream->rule.words = words;
    stream->rule.word_bytes = count * word_bytes;
}

static void make_chase(const struct gpu_plan *plan, struct gpu_stream *stream, struct random *random)
{
    struct gpu_rule *rule = &stream->rule;
    rule->fill = GPU_FILL_CHASE;
    rule->step = stream->step;
    rule->count = stream->rows;
    rule->relative = gpu_level_in_shared(stream->level);
    rule->multiplier = 1;
    rule->increment = 1;
    if (!plan->kernel->items[stream->item].random || stream->rows < 4)
        return;
    /* A full period for a power of two: Hull and Dobell 1962. */
    rule->multiplier = (uint64_t)4 * random_below(random, stream->rows / 4) + 1;
    rule->increment = (uint64_t)2 * random_below(random, stream->rows / 2) + 1;
}

/* first: a random state that is equal for all streams. */
static void make_content(struct gpu_plan *plan, struct gpu_stream *stream, const struct random *first,
                         struct random *random)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    struct random common = *first;
    if (stream->chase && stream->side == NULL)
        make_chase(plan, stream, random);
    if (stream->chase || stream->store || !item->has_data)
        return;
    stream->rule.fill = GPU_FILL_WORDS;
    if (behaviour_toggles(item))
        toggling_words(plan, stream, &common);
    else
        make_words(plan, stream, item->bus);
}

static void make_rule(struct gpu_plan *plan, struct gpu_stream *stream, const struct random *first,
                      struct random *random)
{
    stream->rule.offset = stream->offset;
    stream->rule.bytes = (gpu_stream_reach(stream) + CHASE_WORD - 1) / CHASE_WORD * CHASE_WORD;
    make_content(plan, stream, first, random);
    if (stream->rule.fill ==
        GPU_FILL_WORDS) /* includes the bytes that the bus transfers with the last word */
        stream->rule.bytes = rational_round_up(stream->rule.bytes, GPU_SHARED_ALIGN);
    if (stream->side != NULL)
        stream->rule.fill = GPU_FILL_SIDES;
}

/* ---- rates ---- */

/* Counts over a round of a stream's transfers. */
struct bus_tally {
    const struct gpu_rule *rule;
    unsigned bus;
    uint64_t toggles, ones, words; /* words: transfers that have a successor */
    uint64_t same;                 /* transfers that are followed by the word at the same place */
    double links[3]; /* toggles, ones and transfers, in a round, of the loads that lead from chunk to chunk */
    uint64_t accesses;
};

/* Copies the bus's word at that place of the data. */
static void word_at(const struct gpu_rule *rule, unsigned bus, uint64_t place, unsigned char *word)
{
    for (unsigned i = 0; i < bus; i++)
        word[i] = rule->words[(place * bus + i) % rule->word_bytes];
}

static unsigned differing(const unsigned char *a, const unsigned char *b, unsigned bus)
{
    unsigned count = 0;
    for (unsigned i = 0; i < bus; i++)
        count += (unsigned)__builtin_popcount((unsigned)(a[i] ^ b[i]));
    return count;
}

static const unsigned char zeros[MOST_BUS];

static void count_step(const struct gpu_step *step, void *context)
{
    struct bus_tally *tally = context;
    unsigned char from[MOST_BUS], to[MOST_BUS];
    word_at(tally->rule, tally->bus, step->from, from);
    word_at(tally->rule, tally->bus, step->to, to);
    unsigned toggles = differing(from, to, tally->bus);
    tally->toggles += step->times * toggles;
    tally->ones += step->times * differing(from, zeros, tally->bus);
    tally->words += step->times;
    tally->same += toggles == 0 ? step->times : 0;
}

/* Adds the transfers by which a wave reads the address of the next chunk of a side, after every `hop`
 * accesses: two words that hide an offset. The offset is known only where the program runs, so all are
 * weighted equally. */
static void look_at_links(const struct gpu_plan *plan, const struct gpu_stream *stream,
                          struct bus_tally *tally)
{
    const struct gpu_rule *rule = &stream->rule;
    unsigned bus = rule->bus, wave = plan->machine->gpu.wave, count = plan->threads > 1 ? 2 : 1;
    unsigned threads = plan->threads < wave ? plan->threads : wave;
    uint64_t last_byte = (stream->hop - 1) * stream->step + stream->lane * (threads - 1) + stream->width - 1;
    size_t chunks = gpu_sides_chunks(rule), looked = 0, apart = chunks / LOOK_CHUNKS + 1;
    double toggles = 0, ones = 0, hops = (double)tally->accesses / stream->hop;
    for (size_t i = 0; i < chunks; i += apart, looked++) {
        unsigned char links[2][MOST_BUS], first[MOST_BUS] = {0}, last[MOST_BUS] = {0};
        uint64_t offset = gpu_sides_first(rule) + i * rule->chunk, from = i * rule->chunk + rule->header;
        if (rule->word_bytes > 0) {
            word_at(rule, bus, from / bus, first);
            word_at(rule, bus, (from + last_byte) / bus, last);
        }
        for (unsigned k = 0; k < count; k++) {
            memset(links[k], 0, bus);
            if (rule->word_bytes > 0)
                word_at(rule, bus, k, links[k]);
            for (unsigned byte = 0; byte < CHASE_WORD; byte++)
                links[k][byte] ^= (unsigned char)(offset >> 8 * byte);
            ones += differing(links[k], zeros, bus);
        }
        toggles += differing(last, links[0], bus) + differing(links[count - 1], first, bus);
        toggles += count > 1 ? differing(links[0], links[1], bus) : 0;
        ones += differing(last, zeros, bus);
    }
    tally->links[0] += looked == 0 ? 0 : hops * toggles / (double)looked;
    tally->links[1] += looked == 0 ? 0 : hops * ones / (double)looked;
    tally->links[2] += hops * (count + 1);
}

/* Counts all waves of a block, because each reads another part of a row. */
static void look_at(const struct gpu_plan *plan, const struct gpu_stream *stream, struct bus_tally *tally)
{
    unsigned bus = gpu_stream_bus(plan, stream);
    size_t bytes = stream->rule.word_bytes;
    *tally = (struct bus_tally){.rule = &stream->rule, .bus = bus};
    tally->accesses = gpu_order_visit(plan, stream, rational_lcm(bytes, bus) / bus, count_step, tally);
    if (gpu_stream_links(stream) > 0)
        look_at_links(plan, stream, tally);
}

/* ---- orders other than program order ---- */

/* The places of a wave's transfers, in program order. */
struct sent_words {
    uint64_t places[LOOK_TRANSFERS];
    size_t count;
};

static void keep_word(const struct gpu_step *step, void *context)
{
    struct sent_words *sent = context;
    if (step->times > 0 && sent->count < LOOK_TRANSFERS)
        sent->places[sent->count++] = step->from;
}

static int compare_places(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Sorts the places and keeps each once. */
static void sort_places(struct sent_words *sent)
{
    size_t count = 0;
    qsort(sent->places, sent->count, sizeof sent->places[0], compare_places);
    for (size_t i = 0; i < sent->count; i++)
        if (count == 0 || sent->places[count - 1] != sent->places[i])
            sent->places[count++] = sent->places[i];
    sent->count = count;
}

static double rate_at(const struct bus_tally *tally, const struct sent_words *sent, size_t apart)
{
    uint64_t toggles = 0, words = 0;
    for (size_t i = 0; i + apart < sent->count; i++, words++) {
        unsigned char from[MOST_BUS], to[MOST_BUS];
        word_at(tally->rule, tally->bus, sent->places[i], from);
        word_at(tally->rule, tally->bus, sent->places[i + apart], to);
        toggles += differing(from, to, tally->bus);
    }
    return words == 0 ? 0 : (double)toggles / ((double)words * 8 * tally->bus);
}

/* The rate farthest from the wanted one, among those over every second, third and fourth transfer and by
 * address. */
static double dealt_rate(const struct gpu_plan *plan, const struct gpu_stream *stream,
                         const struct bus_tally *tally, double wanted)
{
    struct sent_words *sent = memory_zeroed(1, sizeof *sent);
    double farthest = wanted;
    gpu_order_visit(plan, stream, rational_lcm(stream->rule.word_bytes, tally->bus) / tally->bus, keep_word,
                    sent);
    for (size_t apart = 2; apart <= DEALT_BY_ADDRESS; apart++) {
        if (apart == DEALT_BY_ADDRESS)
            sort_places(sent);
        double rate = rate_at(tally, sent, apart < DEALT_BY_ADDRESS ? apart : 1);
        farthest = fabs(rate - wanted) > fabs(farthest - wanted) && sent->count > apart ? rate : farthest;
    }
    free(sent);
    return farthest;
}

/* True if the words of all loads can be counted on one bus: all have data with the same toggle rate, or the
 * same word, and lines are whole bus words. On NVIDIA's GPUs only loads with data count. */
static bool counted_together(const struct gpu_plan *plan)
{
    const struct gpu_stream *first = NULL;
    bool all = strcmp(plan->machine->isa, "gcn") == 0;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        const struct behaviour *base = &plan->kernel->items[stream->item];
        if (stream->store || (!all && (stream->chase || !base->has_data)))
            continue;
        first = first == NULL ? stream : first;
        const struct behaviour *other = &plan->kernel->items[first->item];
        unsigned bus = gpu_stream_bus(plan, stream);
        bool same = base->changes == other->changes && base->word == other->word &&
                    base->toggle == other->toggle && base->zeros == other->zeros &&
                    base->program_order == other->program_order && base->word_count == other->word_count;
        if (all)
            same =
                same && (base->changes || base->width == other->width) && bus == gpu_stream_bus(plan, first);
        if (!base->has_data || stream->chase || (!same && base != other) ||
            (all && plan->machine->l1d.line % bus != 0))
            return false;
    }
    return true;
}

/* The mean number of transfers of an access of a wave. */
static double transfers_of(const struct gpu_plan *plan, const struct gpu_stream *stream,
                           const struct bus_tally *tally)
{
    unsigned wave = plan->machine->gpu.wave;
    unsigned waves = stream->side != NULL ? 1 : (plan->threads + wave - 1) / wave;
    double ends = stream->side != NULL ? (double)tally->accesses / stream->hop
                                       : 0; /* the last transfer of each chunk has no step */
    return tally->accesses == 0 ? 0 : ((double)tally->words + ends) / ((double)tally->accesses * waves);
}

/* Above a rate of a half every second word is inverted. Refuses accesses of an odd number of words if
 * accesses of several streams follow each other. */
static enum status check_pairs(const struct gpu_plan *plan, const struct gpu_stream *stream,
                               const struct bus_tally *tally, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    unsigned streams = 0;
    for (size_t i = 0; i < plan->stream_count; i++)
        streams += !plan->streams[i].store && !plan->streams[i].chase &&
                   plan->kernel->items[plan->streams[i].item].has_data;
    if (strcmp(plan->machine->isa, "ptx") != 0 || streams < 2 || !behaviour_toggles(item) ||
        item->toggle <= MOST_DEALT || fmod(transfers_of(plan, stream, tally), 2) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_RECIPE,
                     "%s.data toggles %g of the bits, and accesses of %u levels or loads follow each other: "
                     "an access of a warp is an odd number of transfers of %u bytes, so that it ends with an "
                     "inverted word and the next one begins with one; expected an even number (threads, "
                     "width, lane or bus), one load of one level, or at most %g",
                     item->op, item->toggle, streams, gpu_stream_bus(plan, stream), MOST_DEALT);
}

/* Refuses a toggle rate that the stream's transfers do not have. */
static enum status check_found(const struct gpu_plan *plan, const struct gpu_stream *stream,
                               const struct bus_tally *tally, double found, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    double transfers = transfers_of(plan, stream, tally);
    if (!behaviour_toggles(item) || fabs(found - item->toggle) <= OFF_BY)
        return STATUS_OK;
    if (item->toggle > MOST_DEALT)
        return error_set(error, STATUS_RECIPE,
                         "%s.data toggles %g of the bits instead of %g: an access of a wave is %g transfers "
                         "of %u bytes, and above %g "
                         "every second word is inverted; expected an even number of transfers per access and "
                         "per stride, or "
                         "a rate of at most %g",
                         item->op, found, item->toggle, transfers, gpu_stream_bus(plan, stream), MOST_DEALT,
                         MOST_DEALT);
    return error_set(error, STATUS_RECIPE,
                     "%s.data toggles %g of the bits instead of %g: a wave repeats its %llu accesses of %g "
                     "transfers of %u bytes, too few different words; expected more loads in a pass (count, "
                     "loop.units) or a wider access; the nearest that works is %.6g",
                     item->op, found, item->toggle, (unsigned long long)tally->accesses, transfers,
                     gpu_stream_bus(plan, stream), found);
}

/* Refuses a toggle rate that other orders do not have, because accesses return to the same words. */
static enum status check_dealt(const struct gpu_plan *plan, const struct gpu_stream *stream, double dealt,
                               struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    if (!behaviour_toggles(item) || item->program_order || fabs(dealt - item->toggle) <= metric_near(DEALT))
        return STATUS_OK;
    uint64_t span = stream->lane * (plan->threads - 1) + stream->width;
    char rows[64] = "more rows (fewer threads, a larger working_set)";
    if (stream->step < span) /* its rows overlap */
        snprintf(rows, sizeof rows, "a stride of at least %llu bytes", (unsigned long long)span);
    return error_set(error, STATUS_RECIPE,
                     "%s.data toggles %g of the bits in program order, but %.4g over every second, third or "
                     "fourth transfer, or by address: accesses of a wave return to the same words; expected "
                     "%s, or { order = \"program\" }",
                     item->op, item->toggle, dealt, rows);
}

/* Rates of a kernel's data: sums over its streams, weighted by their transfers in a pass. */
struct data_rates {
    double wanted, target, toggles, ones, dealt, weights;
    bool promised, dealt_too, changes;
};

static enum status add_stream(const struct gpu_plan *plan, const struct gpu_stream *stream,
                              struct data_rates *rates, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    struct bus_tally tally;
    look_at(plan, stream, &tally);
    double steps = (double)tally.words + tally.links[2], bits = 8.0 * tally.bus;
    double found = steps > 0 ? ((double)tally.toggles + tally.links[0]) / (steps * bits) : 0;
    if (check_found(plan, stream, &tally, found, error) != STATUS_OK ||
        (rates->promised && check_pairs(plan, stream, &tally, error) != STATUS_OK))
        return STATUS_RECIPE;
    double dealt = dealt_rate(plan, stream, &tally, behaviour_toggles(item) ? item->toggle : found);
    if (check_dealt(plan, stream, dealt, error) != STATUS_OK)
        return STATUS_RECIPE;
    double weight = tally.accesses == 0 ? 0 : steps * tally.bus / (double)tally.accesses * stream->per_pass;
    rates->promised = rates->promised && (behaviour_toggles(item) || !item->changes);
    rates->dealt_too = rates->dealt_too && !item->program_order;
    rates->changes = rates->changes || item->changes;
    rates->wanted += weight * (behaviour_toggles(item) ? item->toggle : found);
    rates->target += weight * (behaviour_toggles(item) && stream->side != NULL ? item->toggle : found);
    rates->toggles += weight * found;
    rates->dealt += weight * dealt;
    rates->ones += steps > 0 ? weight * ((double)tally.ones + tally.links[1]) / (steps * bits) : 0;
    rates->weights += weight;
    return STATUS_OK;
}

/* Adds the rates. The target is the rate of the chosen words, which is within OFF_BY of the stated one; on
 * sides of L2 it is the stated one, because the order of chunks is known only where the program runs. The
 * rates of the recipe's own words are reported, but not promised. */
static enum status add_rates(struct gpu_plan *plan, struct error *error)
{
    struct data_rates rates = {.promised = counted_together(plan), .dealt_too = true};
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        if (!stream->store && !stream->chase && plan->kernel->items[stream->item].has_data &&
            add_stream(plan, stream, &rates, error) != STATUS_OK)
            return STATUS_RECIPE;
    }
    if (rates.weights <= 0)
        return STATUS_OK;
    if (rates.promised)
        rates_add(&plan->arena, &plan->rates.targets, "data.toggle_rate", rates.target / rates.weights);
    if (rates.promised && rates.dealt_too && rates.changes)
        rates_add(&plan->arena, &plan->rates.targets, DEALT, rates.wanted / rates.weights);
    rates_add(&plan->arena, &plan->rates.expected, "data.toggle_rate", rates.toggles / rates.weights);
    rates_add(&plan->arena, &plan->rates.expected, DEALT, rates.dealt / rates.weights);
    rates_add(&plan->arena, &plan->rates.expected, "data.ones_rate", rates.ones / rates.weights);
    return STATUS_OK;
}

enum status gpu_streams_fill(struct gpu_plan *plan, uint64_t seed, const char *label, struct error *error)
{
    /* Near and far must be comparable, so they have the same words. */
    bool sided = plan->kernel->place.side != NULL;
    struct random random = random_start(seed, sided ? "place.side" : label);
    const struct random first = random;
    for (size_t i = 0; i < plan->stream_count; i++)
        make_rule(plan, &plan->streams[i], &first, &random);
    return add_rates(plan, error);
}
