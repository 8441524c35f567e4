/* The contents of a GPU plan's streams, and the rates of their data on the bus. Words of an exact toggle rate
 * come in pairs: a word, and the same with the required number of bits inverted. So every transfer differs
 * from the previous one in exactly that many bits, also between requests of an even number of transfers. If
 * the rate is not a whole number of bits, pairs alternate between the numbers below and above. */
#include "generator/plan/gpu/gpu_data.h"

#include "base/random.h"
#include "generator/plan/gpu/gpu_image.h"
#include "generator/plan/gpu/gpu_image_sides.h"
#include "generator/plan/gpu/gpu_reach.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { USUAL_BUS = 64, PAIRS = 20, CHASE_WORD = 8, LOOK_TRANSFERS = 8192, LOOK_CHUNKS = 4096 };

/* ---- rules ---- */

/* Inverts the first bits of a random order. */
static void turn_bits(struct random *random, unsigned bus, const unsigned count[2], unsigned char *masks[2])
{
    unsigned order[1024] = {0};
    for (unsigned i = 0; i < 8 * bus; i++)
        order[i] = i;
    for (unsigned i = 8 * bus; i > 1; i--) {
        unsigned j = random_below(random, i);
        unsigned swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
    for (int which = 0; which < 2; which++) {
        memset(masks[which], 0, bus);
        for (unsigned i = 0; i < count[which]; i++)
            masks[which][order[i] / 8] |= (unsigned char)(1U << order[i] % 8);
    }
}

/* The fewest pairs that give the rate exactly; PAIRS if no smaller number does. */
static unsigned pairs_for(double bits)
{
    unsigned pairs = 1;
    while (pairs < PAIRS && fabs(bits * pairs - round(bits * pairs)) > 1e-6)
        pairs++;
    return pairs;
}

uint64_t gpu_stream_word_rows(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    const struct behaviour *base = &plan->kernel->items[stream->item];
    unsigned bus = gpu_stream_bus(plan, stream);
    bool toggles = !stream->store && base->has_data && base->changes && base->word_count == 0;
    uint64_t bytes = toggles ? (uint64_t)2 * pairs_for(base->toggle * 8 * bus) * bus : 1;
    uint64_t rows = 1;
    while (rows < bytes && rows * stream->step % bytes != 0)
        rows++;
    return rows;
}

/* All streams of the kernel begin with the same word, so that accesses of different streams toggle the same
 * share: `first` is the start of their common random numbers. */
static void make_toggling(struct gpu_plan *plan, struct gpu_stream *stream, unsigned bus, double rate,
                          const struct random *first)
{
    struct random own = *first, *random = &own;
    unsigned char *words = arena_alloc(&plan->arena, (size_t)2 * PAIRS * bus, 1);
    unsigned char *masks[2] = {arena_alloc(&plan->arena, bus, 1), arena_alloc(&plan->arena, bus, 1)};
    double bits = rate * 8 * bus;
    unsigned count[2] = {(unsigned)floor(bits + 1e-9), (unsigned)ceil(bits - 1e-9)};
    unsigned pairs = pairs_for(bits);
    unsigned above = (unsigned)lround((bits - count[0]) * pairs);
    unsigned char *word = words;
    for (unsigned i = 0; i < bus; i++)
        word[i] = (unsigned char)random_below(random, 256);
    turn_bits(random, bus, count, masks);
    for (unsigned pair = 0; pair < pairs; pair++) {
        /* Bresenham: spreads those above as evenly as possible. */
        bool more = (pair + 1) * above / pairs != pair * above / pairs;
        unsigned char *even = words + (size_t)2 * pair * bus;
        for (unsigned i = 0; i < bus; i++) {
            even[i] = word[i];
            even[bus + i] = word[i] ^ masks[more][i];
        }
    }
    stream->rule.words = words;
    stream->rule.word_bytes = (size_t)2 * pairs * bus;
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

unsigned gpu_stream_bus(const struct gpu_plan *plan, const struct gpu_stream *stream)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    unsigned sector = plan->machine->l1d.sector;
    return item->bus > 0 ? item->bus : sector < USUAL_BUS ? sector : USUAL_BUS;
}

static void make_content(struct gpu_plan *plan, struct gpu_stream *stream, const struct random *first,
                         struct random *random)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    if (stream->chase && stream->side == NULL)
        make_chase(plan, stream, random);
    if (stream->chase || stream->store || !item->has_data)
        return;
    stream->rule.fill = GPU_FILL_WORDS;
    if (item->changes && item->word_count == 0)
        make_toggling(plan, stream, gpu_stream_bus(plan, stream), item->toggle, first);
    else
        make_words(plan, stream, item->bus);
}

static void make_rule(struct gpu_plan *plan, struct gpu_stream *stream, const struct random *first,
                      struct random *random)
{
    stream->rule.offset = stream->offset;
    stream->rule.bytes = (gpu_stream_reach(stream) + CHASE_WORD - 1) / CHASE_WORD * CHASE_WORD;
    make_content(plan, stream, first, random);
    if (stream->rule.fill == GPU_FILL_WORDS) /* including what the bus transfers with the last word */
        stream->rule.bytes =
            (stream->rule.bytes + GPU_SHARED_ALIGN - 1) / GPU_SHARED_ALIGN * GPU_SHARED_ALIGN;
    if (stream->side != NULL)
        stream->rule.fill = GPU_FILL_SIDES;
}

/* ---- rates ---- */

struct bus_tally {
    uint64_t toggles, ones, bits, steps; /* bits: of all words; steps: bits of all but the first */
    uint64_t words, accesses, odd;       /* odd: accesses of an odd number of words */
};

static void count_bits(const unsigned char *word, const unsigned char *last, unsigned bus, bool first,
                       struct bus_tally *tally)
{
    for (unsigned i = 0; i < bus; i++) {
        tally->ones += (unsigned)__builtin_popcount(word[i]);
        tally->toggles += first ? 0 : (unsigned)__builtin_popcount(word[i] ^ last[i]);
    }
    tally->words++;
    tally->bits += (uint64_t)8 * bus;
    tally->steps += first ? 0 : (uint64_t)8 * bus;
}

/* The words that one access of a wave transfers over the bus, if its first thread reads at that place of the
 * rule. */
static uint64_t look_at_access(const struct gpu_image *image, const struct gpu_stream *stream, unsigned bus,
                               uint64_t place, uint64_t span, uint64_t looked, unsigned char words[2][1024],
                               struct bus_tally *tally)
{
    const struct gpu_rule *rule = image->rules;
    uint64_t last = UINT64_MAX;
    unsigned reach = stream->lane < bus ? 1 : stream->width;
    for (uint64_t at = 0; at < span; at += stream->lane < bus ? bus : stream->lane)
        for (uint64_t word = (place + at) / bus; word <= (place + at + reach - 1) / bus; word++) {
            if (word == last || (word + 1) * bus > rule->bytes)
                continue;
            gpu_image_fill(image, 0, rule->offset + word * bus, bus, words[looked % 2]);
            count_bits(words[looked % 2], words[1 - looked % 2], bus, looked == 0, tally);
            last = word;
            looked++;
        }
    return looked;
}

/* The same for a wave's accesses, in order, as in the image. */
static void look_at_wave(const struct gpu_plan *plan, const struct gpu_stream *stream,
                         const struct gpu_image *image, unsigned wave, uint64_t most, struct bus_tally *tally)
{
    unsigned bus = gpu_stream_bus(plan, stream);
    unsigned before = wave * plan->machine->gpu.wave;
    unsigned threads = plan->threads - before;
    threads = threads < plan->machine->gpu.wave ? threads : plan->machine->gpu.wave;
    uint64_t span = stream->lane * (threads - 1) + stream->width;
    unsigned char words[2][1024];
    uint64_t looked = 0;
    for (unsigned pass = 0; looked < most; pass++) {
        for (unsigned k = 0; k < stream->per_pass && looked < most; k++) {
            uint64_t row = (pass * stream->advance) % stream->bytes + gpu_slot_displacement(stream, k) -
                           stream->rule.header;
            uint64_t sofar = looked;
            looked =
                look_at_access(image, stream, bus, row + before * stream->lane, span, looked, words, tally);
            tally->accesses++;
            tally->odd += (looked - sofar) % 2;
        }
        if (stream->per_pass == 0 || looked == 0)
            break;
    }
}

static unsigned differing(const unsigned char *a, const unsigned char *b, unsigned bus)
{
    unsigned count = 0;
    for (unsigned i = 0; i < bus; i++)
        count += (unsigned)__builtin_popcount((unsigned)(a[i] ^ b[i]));
    return count;
}

/* Adds what a wave transfers to learn where the next chunk of a side is, after each `hop` accesses: two words
 * that hide an offset. Which offset follows is learned where the program runs: all count alike. */
static void look_at_links(const struct gpu_plan *plan, const struct gpu_stream *stream,
                          struct bus_tally *tally)
{
    static const unsigned char zeros[1024];
    const struct gpu_rule *rule = &stream->rule;
    unsigned bus = rule->bus, count = plan->threads > 1 ? 2 : 1;
    size_t chunks = gpu_sides_chunks(rule), looked = 0;
    size_t apart = chunks / LOOK_CHUNKS + 1;
    uint64_t words = tally->accesses == 0 ? 0 : tally->words / tally->accesses * stream->hop;
    const unsigned char *data = rule->word_bytes > 0 ? rule->words : zeros;
    const unsigned char *last =
        rule->word_bytes > 0 ? data + (words + rule->word_bytes - 1) * bus % rule->word_bytes : zeros;
    double toggles = 0, ones = 0;
    for (size_t i = 0; i < chunks; i += apart, looked++) {
        unsigned char links[2][1024];
        uint64_t offset = gpu_sides_first(rule) + i * rule->chunk;
        for (unsigned k = 0; k < count; k++) {
            memcpy(links[k], rule->word_bytes > 0 ? data + (size_t)k * bus % rule->word_bytes : zeros, bus);
            for (unsigned byte = 0; byte < CHASE_WORD; byte++)
                links[k][byte] ^= (unsigned char)(offset >> 8 * byte);
            ones += differing(links[k], zeros, bus);
        }
        toggles += differing(last, links[0], bus) + differing(links[count - 1], data, bus);
        toggles += count > 1 ? differing(links[0], links[1], bus) : 0;
        toggles -= differing(last, data, bus);
    }
    double hops = (double)tally->accesses / stream->hop;
    tally->toggles += looked == 0 ? 0 : (uint64_t)llround(hops * toggles / (double)looked);
    tally->ones += looked == 0 ? 0 : (uint64_t)llround(hops * ones / (double)looked);
    tally->bits += (uint64_t)(hops * count) * 8 * bus;
    tally->steps += (uint64_t)(hops * count) * 8 * bus;
}

/* All waves of a block, because each reads another part of a row. */
static void look_at(const struct gpu_plan *plan, const struct gpu_stream *stream, struct bus_tally *tally)
{
    struct gpu_rule rule = stream->rule;
    unsigned wave = plan->machine->gpu.wave;
    unsigned waves = stream->side != NULL ? 1 : (plan->threads + wave - 1) / wave;
    if (stream->side != NULL) { /* all chunks hold the same words */
        rule = (struct gpu_rule){.bytes = rule.chunk - rule.header,
                                 .fill = GPU_FILL_WORDS,
                                 .words = rule.words,
                                 .word_bytes = rule.word_bytes};
    }
    struct gpu_image image = {rule.offset + rule.bytes, 8, &rule, 1};
    for (unsigned i = 0; i < waves; i++)
        look_at_wave(plan, stream, &image, i, LOOK_TRANSFERS / waves, tally);
    if (gpu_stream_links(stream) > 0)
        look_at_links(plan, stream, tally);
}

/* True if the words of all loads can be counted on one bus: all loads have data with the stated toggle rate,
 * or all the same word, and lines are whole bus words. Of NVIDIA's GPUs only the loads that have data count.
 */
static bool seen_together(const struct gpu_plan *plan)
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
                    (base->changes || base->width == other->width) && bus == gpu_stream_bus(plan, first);
        if (!all)
            same = base == other || (base->changes == other->changes && base->word == other->word &&
                                     base->toggle == other->toggle && base->word_count == other->word_count);
        if (!base->has_data || stream->chase || !same || (all && plan->machine->l1d.line % bus != 0))
            return false;
    }
    return true;
}

/* Streams whose words toggle begin with the same one: where accesses of several follow each other, each must
 * end with the second of a pair. */
static enum status check_pairs(const struct gpu_plan *plan, const struct gpu_stream *stream,
                               const struct bus_tally *tally, struct error *error)
{
    const struct behaviour *item = &plan->kernel->items[stream->item];
    unsigned streams = 0;
    for (size_t i = 0; i < plan->stream_count; i++)
        streams += !plan->streams[i].store && !plan->streams[i].chase &&
                   plan->kernel->items[plan->streams[i].item].has_data;
    if (strcmp(plan->machine->isa, "ptx") != 0 || streams < 2 || tally->odd == 0 || !item->changes ||
        item->word_count > 0 || item->toggle <= 0)
        return STATUS_OK;
    return error_set(
        error, STATUS_RECIPE,
        "%s.data toggles %g of the bits, and accesses of %u levels or loads follow each other: one "
        "of a warp is an odd number of transfers of %u bytes, so that the next repeats its last "
        "word; expected an even number (threads, width, lane or bus), or one load of one level",
        item->op, item->toggle, streams, gpu_stream_bus(plan, stream));
}

static enum status add_rates(struct gpu_plan *plan, struct error *error)
{
    double wanted = 0, toggles = 0, ones = 0, weights = 0;
    /* The toggle rate of the recipe's own words is reported, but not promised. */
    bool promised = seen_together(plan);
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        const struct behaviour *item = &plan->kernel->items[stream->item];
        struct bus_tally tally = {0};
        if (stream->store || stream->chase || !item->has_data)
            continue;
        look_at(plan, stream, &tally);
        bool stated = item->changes && item->word_count == 0;
        double found = tally.steps == 0 ? 0 : (double)tally.toggles / (double)tally.steps;
        if (stated && fabs(found - item->toggle) > 1e-3)
            return error_set(
                error, STATUS_RECIPE,
                "%s.data toggles %g of the bits instead of %g: an access of a wave is %g transfers of %u "
                "bytes; expected an even number of transfers per access and per stride",
                item->op, found, item->toggle, (double)tally.words / (double)tally.accesses,
                gpu_stream_bus(plan, stream));
        if (promised && check_pairs(plan, stream, &tally, error) != STATUS_OK)
            return STATUS_RECIPE;
        double weight = tally.accesses == 0
                            ? 0
                            : (double)tally.bits / 8 / (double)tally.accesses * (double)stream->per_pass;
        promised = promised && (stated || !item->changes);
        wanted += weight * (stated ? item->toggle : found);
        toggles += weight * found;
        ones += tally.bits == 0 ? 0 : weight * (double)tally.ones / (double)tally.bits;
        weights += weight;
    }
    if (weights <= 0)
        return STATUS_OK;
    if (promised)
        rates_add(&plan->arena, &plan->rates.targets, "data.toggle_rate", wanted / weights);
    rates_add(&plan->arena, &plan->rates.expected, "data.toggle_rate", toggles / weights);
    rates_add(&plan->arena, &plan->rates.expected, "data.ones_rate", ones / weights);
    return STATUS_OK;
}

enum status gpu_streams_fill(struct gpu_plan *plan, uint64_t seed, const char *label, struct error *error)
{
    /* Near and far must be comparable, so they have the same words. */
    bool sided = json_object_get(plan->kernel->place, "side") != NULL;
    struct random random = random_start(seed, sided ? "place.side" : label);
    const struct random first = random;
    for (size_t i = 0; i < plan->stream_count; i++)
        make_rule(plan, &plan->streams[i], &first, &random);
    return add_rates(plan, error);
}
