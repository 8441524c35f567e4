#include "runner/sources/bytes/bytes_gpu_data.h"

#include "base/json.h"
#include "base/rational.h"
#include "generator/plan/gpu/gpu_image.h"
#include "runner/sources/source.h"

#include <string.h>

enum { MOST_BUS = 128, MOST_ACCESSES = 1 << 16 };

/* Bits of all words, and of all but the first of each stream: those that can differ from the previous
 * word. */
struct bits {
    uint64_t ones, all, toggles, steps;
};

/* Totals of several streams, weighted by what each transfers in a pass. */
struct weighted_rates {
    double toggles, ones, weights;
    uint64_t looked;
};

struct walk {
    const struct gpu_image *image;
    uint64_t start, end; /* of the region that holds the stream's words */
    uint64_t step, bytes, advance, per_pass, lane, width, threads, bus, word_bytes;
    uint64_t before; /* from the row to the first byte that the warp's first thread reads */
};

/* 0 for what the manifest, which is untrusted, states out of range. */
static uint64_t number(double value)
{
    return value > 0 && value < 1e15 ? (uint64_t)value : 0;
}

static void take_word(const unsigned char *word, unsigned char *last, uint64_t bus, bool first,
                      struct bits *bits)
{
    for (uint64_t i = 0; i < bus; i++) {
        bits->ones += (uint64_t)__builtin_popcount(word[i]);
        bits->toggles += first ? 0 : (uint64_t)__builtin_popcount(word[i] ^ last[i]);
    }
    bits->all += 8 * bus;
    bits->steps += first ? 0 : 8 * bus;
    memcpy(last, word, bus);
}

/* The transfers of one access: each word of the bus that contains bytes of some thread, once. */
static uint64_t take_access(const struct walk *walk, uint64_t row, unsigned char *last, bool first,
                            struct bits *bits)
{
    unsigned char word[MOST_BUS];
    uint64_t before = UINT64_MAX;
    uint64_t taken = 0;
    for (uint64_t thread = 0; thread < walk->threads; thread++) {
        uint64_t from = (row + thread * walk->lane) / walk->bus;
        uint64_t to = (row + thread * walk->lane + walk->width - 1) / walk->bus;
        for (uint64_t at = from; at <= to; at++) {
            if (at == before || walk->start + (at + 1) * walk->bus > walk->end)
                continue;
            gpu_image_fill(walk->image, 0, walk->start + at * walk->bus, walk->bus, word);
            take_word(word, last, walk->bus, first && taken == 0, bits);
            before = at;
            taken++;
        }
    }
    return taken;
}

/* Where a wave's access begins that is the number-th of a round, which goes around the rows. */
static uint64_t row_of(const struct walk *walk, uint64_t number)
{
    return number % (walk->bytes / walk->step) * walk->step + walk->before;
}

static void add_times(struct bits *to, const struct bits *one, uint64_t times)
{
    to->ones += times * one->ones;
    to->all += times * one->all;
    to->toggles += times * one->toggles;
    to->steps += times * one->steps;
}

/* The access with that number and the step to the first word of another one. */
static void take_both(const struct walk *walk, uint64_t number, uint64_t next, struct bits *own,
                      struct bits *step)
{
    unsigned char last[MOST_BUS] = {0}, other[MOST_BUS] = {0};
    struct bits with = {0}, without = {0};
    *own = (struct bits){0};
    (void)take_access(walk, row_of(walk, number), last, true, own);
    (void)take_access(walk, row_of(walk, next), last, false, &with);
    (void)take_access(walk, row_of(walk, next), other, true, &without);
    *step = (struct bits){.toggles = with.toggles - without.toggles, .steps = with.steps - without.steps};
}

/* One round, with the step back to its first access. In long ones, in which the words repeat after some
 * accesses, those count as often as they come. */
static uint64_t take_stream(const struct walk *walk, struct bits *all)
{
    uint64_t rows = walk->bytes / walk->step, length = walk->advance > 0 ? rows : walk->per_pass;
    uint64_t again = walk->word_bytes / rational_gcd(walk->step, walk->word_bytes);
    uint64_t period = again < length && length <= rows ? again : length;
    struct bits own, step;
    for (uint64_t k = 0; k < period; k++) {
        uint64_t times = length / period + (k < length % period),
                 steps = times - ((length - 1) % period == k);
        take_both(walk, k, k + 1 < length ? k + 1 : 0, &own, &step);
        add_times(all, &own, times);
        add_times(all, &step, steps);
    }
    take_both(walk, length - 1, 0, &own, &step);
    add_times(all, &step, 1);
    return length;
}

static bool sane(const struct walk *walk)
{
    return walk->step > 0 && walk->bytes >= walk->step && walk->lane > 0 && walk->width > 0 &&
           walk->width <= 64 && walk->threads > 0 && walk->threads <= 64 && walk->bus >= 8 &&
           walk->bus <= MOST_BUS && walk->bus % 8 == 0 && walk->per_pass > 0 &&
           walk->per_pass <= MOST_ACCESSES && walk->start % 8 == 0;
}

/* The stream's region is the one that names it. */
static const struct gpu_rule *rule_of(const struct manifest_data *data, const struct gpu_image *image,
                                      size_t stream)
{
    for (size_t i = 0; i < image->rule_count; i++)
        if (i < data->region_count && number(data->regions[i].stream) == stream)
            return &image->rules[i];
    return NULL;
}

static enum status take_one(const struct test_program *test_program, const struct gpu_image *image,
                            size_t index, struct weighted_rates *rates, struct error *error)
{
    const struct manifest_stream *stream = &test_program->manifest->streams[index];
    const struct gpu_rule *rule = rule_of(&test_program->manifest->data, image, index);
    uint64_t threads = number(test_program->manifest->block_threads), length = 1;
    uint64_t wave = test_program->machine->gpu.wave;
    struct bits bits = {0};
    if (strcmp(stream->op, "load") != 0 || rule == NULL || rule->word_bytes == 0)
        return STATUS_OK;
    struct gpu_rule words = *rule;
    words.fill = GPU_FILL_WORDS; /* also if chunks of one side are walked: all contain the same words */
    struct gpu_image own = {words.offset + words.bytes, image->align, &words, 1};
    struct walk walk = {.image = &own,
                        .start = words.offset,
                        .end = words.offset + words.bytes,
                        .step = number(stream->step),
                        .bytes = number(stream->bytes),
                        .advance = number(stream->advance),
                        .per_pass = number(stream->per_pass),
                        .lane = number(stream->lane),
                        .width = number(stream->width),
                        .threads = wave,
                        .bus = number(stream->bus),
                        .word_bytes = rule->word_bytes};
    if (!sane(&walk) || threads == 0 || threads > 4096)
        return error_set(error, STATUS_FAILED, "the manifest's streams[%zu] is not a stream of accesses",
                         index);
    for (uint64_t first = 0; first < threads; first += wave) { /* each warp reads another part of a row */
        walk.before = first * walk.lane;
        walk.threads = threads - first < wave ? threads - first : wave;
        length = take_stream(&walk, &bits);
    }
    double weight = (double)walk.per_pass * (double)bits.all / (double)length;
    rates->weights += weight;
    rates->toggles += bits.steps == 0 ? 0 : weight * (double)bits.toggles / (double)bits.steps;
    rates->ones += bits.all == 0 ? 0 : weight * (double)bits.ones / (double)bits.all;
    rates->looked += bits.steps;
    return STATUS_OK;
}

enum status bytes_observe_gpu_data(const struct test_program *test_program, struct observations *list,
                                   struct error *error)
{
    struct arena arena = {0};
    struct gpu_image image;
    struct weighted_rates rates = {0};
    const struct manifest *manifest = test_program->manifest;
    if (!manifest->data.given)
        return STATUS_OK; /* nothing was promised, and nothing is observed */
    for (size_t i = 0; i < manifest->stream_count; i++)
        if (manifest->streams[i].side != NULL && !manifest->streams[i].chase)
            return STATUS_OK; /* which chunk follows which is learned where the program runs */
    enum status status = gpu_image_read(manifest->data.document, &arena, &image, error);
    for (size_t i = 0; status == STATUS_OK && i < manifest->stream_count; i++)
        status = take_one(test_program, &image, i, &rates, error);
    if (status == STATUS_OK && rates.weights > 0) {
        double toggles = rates.toggles / rates.weights;
        double ones = rates.ones / rates.weights;
        observations_add(list, "data.toggle_rate", counter_bytes.name, counter_bytes.kind, toggles, toggles,
                         toggles, (double)rates.looked);
        observations_add(list, "data.ones_rate", counter_bytes.name, counter_bytes.kind, ones, ones, ones,
                         (double)rates.looked);
    }
    arena_free(&arena);
    return status;
}
