#include "runner/sources/warp/warp_manifest.h"

#include "base/json.h"
#include "generator/plan/gpu/gpu_image_sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BLOCKS = 1 << 20,
    MOST_THREADS = 1024,
    MOST_WARMUP = 1 << 24,
    MOST_ACCESSES = 1 << 20,
    MOST_WIDTH = 16,
    MOST_BUS = 128,
    SHARED_ALIGN = 128,
    CACHE_BYTES = 32
};
#define MOST_BYTES (UINT64_C(1) << 40)

/* A whole number of the manifest from least to most. */
static bool whole(const json_t *object, const char *key, uint64_t least, uint64_t most, uint64_t *number)
{
    const json_t *value = json_object_get(object, key);
    *number = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0 && *number >= least && *number <= most;
}

static bool small(const json_t *object, const char *key, uint64_t least, uint64_t most, unsigned *number)
{
    uint64_t wide = 0;
    bool good = whole(object, key, least, most, &wide);
    *number = (unsigned)wide;
    return good;
}

/* The rule of the region that names the stream. */
static const struct gpu_rule *rule_of(const struct warp_manifest *manifest, size_t stream)
{
    const json_t *regions = json_object_get(json_object_get(manifest->document, "data"), "regions");
    for (size_t i = 0; i < manifest->image.rule_count; i++) {
        const json_t *number = json_object_get(json_array_get(regions, i), "stream");
        if (json_is_integer(number) && json_integer_value(number) == (json_int_t)stream)
            return &manifest->image.rules[i];
    }
    return NULL;
}

static const char *cache_of(struct warp_manifest *manifest, const json_t *stream)
{
    char text[CACHE_BYTES];
    const char *cache = json_string_or(stream, "cache", "");
    bool l1 = strcmp(cache, "no_allocate") == 0 || strcmp(cache, "evict_last") == 0;
    snprintf(text, sizeof text, "%s%.20s", l1 ? "L1::" : "", cache);
    return arena_strdup(&manifest->arena, text);
}

static bool read_stream(struct warp_manifest *manifest, const json_t *document, struct warp_stream *stream)
{
    const char *op = json_string_or(document, "op", "");
    const char *side = json_string_or(document, "side", "");
    *stream = (struct warp_stream){
        .store = strcmp(op, "store") == 0,
        .chase = json_is_true(json_object_get(document, "chase")),
        .shared = strcmp(json_string_or(document, "level", ""), "SHARED") == 0,
        .cache = cache_of(manifest, document),
        .sided = side[0] != '\0',
        .far = strcmp(side, "far") == 0,
        .rule = rule_of(manifest, (size_t)(stream - manifest->streams)),
        .hop = 1,
    };
    return (stream->store || strcmp(op, "load") == 0) && stream->rule != NULL &&
           small(document, "width", 4, MOST_WIDTH, &stream->width) &&
           small(document, "per_pass", 1, MOST_ACCESSES, &stream->per_pass) &&
           small(document, "bus", 8, MOST_BUS, &stream->bus) &&
           whole(document, "bytes", 1, MOST_BYTES, &stream->bytes) &&
           whole(document, "step", 1, MOST_BYTES, &stream->step) &&
           whole(document, "lane", 1, MOST_BYTES, &stream->lane) &&
           whole(document, "block", 0, MOST_BYTES, &stream->block) &&
           whole(document, "advance", 0, MOST_BYTES, &stream->advance) &&
           (!stream->sided || small(document, "hop", 1, MOST_ACCESSES, &stream->hop)) &&
           (!stream->sided || stream->rule->fill == GPU_FILL_SIDES) && stream->bytes >= stream->step;
}

/* Shared memory holds its streams one after the other. */
static void place_stream(struct warp_manifest *manifest, struct warp_stream *stream, uint64_t *shared)
{
    struct warp_region *region = &manifest->regions[stream - manifest->streams];
    bool words = stream->rule->fill == GPU_FILL_WORDS ||
                 (stream->rule->fill == GPU_FILL_SIDES && stream->rule->word_bytes > 0);
    stream->length = stream->rule->bytes;
    stream->start = stream->shared ? *shared : WARP_DATA_ADDRESS + stream->rule->offset;
    *shared += stream->shared ? (stream->length + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN : 0;
    *region = (struct warp_region){stream->shared, stream->start, stream->length,
                                   words && !stream->store ? stream->bus : 0};
}

static uint64_t sum_of(const json_t *levels)
{
    uint64_t sum = 0;
    const char *level;
    json_t *count;
    json_object_foreach((json_t *)(uintptr_t)levels, level, count)
    {
        sum +=
            json_is_integer(count) && json_integer_value(count) > 0 ? (uint64_t)json_integer_value(count) : 0;
    }
    return sum;
}

/* All stores of a kernel write one word. */
static void read_kernel(struct warp_manifest *manifest)
{
    const json_t *unit = json_object_get(json_object_get(manifest->document, "kernel"), "unit");
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *item = json_array_get(unit, i);
        const char *op = json_string_or(item, "op", "");
        const char *word = json_string_or(json_object_get(item, "data"), "word", "0x0");
        manifest->has_asm = manifest->has_asm || strcmp(op, "asm") == 0;
        if (strcmp(op, "store") != 0)
            continue;
        manifest->has_word = true;
        manifest->word = (uint32_t)strtoull(word, NULL, 16);
    }
}

static enum status read_streams(struct warp_manifest *manifest, struct error *error)
{
    const json_t *streams = json_object_get(manifest->document, "streams");
    uint64_t shared = 0;
    manifest->stream_count = json_array_size(streams);
    if (manifest->stream_count > WARP_STREAMS)
        return error_set(error, STATUS_FAILED, "the manifest has %zu streams: expected at most %d",
                         manifest->stream_count, WARP_STREAMS);
    for (size_t i = 0; i < manifest->stream_count; i++) {
        if (!read_stream(manifest, json_array_get(streams, i), &manifest->streams[i]))
            return error_set(
                error, STATUS_FAILED,
                "the manifest's streams[%zu] is not a stream of accesses with its region in data", i);
        place_stream(manifest, &manifest->streams[i], &shared);
    }
    return STATUS_OK;
}

static uint64_t divisor_of_both(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* True if next(i) = (multiplier i + increment) mod count visits all of them: Hull and Dobell 1962. */
static bool is_one_cycle(const struct gpu_rule *rule)
{
    uint64_t count = rule->count, less = (rule->multiplier - 1) % rule->count, rest = count;
    if (divisor_of_both(rule->increment % count, count) != 1 && count > 1)
        return false;
    for (uint64_t prime = 2; prime * prime <= rest; prime++) {
        if (rest % prime == 0 && less % prime != 0)
            return false;
        while (rest % prime == 0)
            rest /= prime;
    }
    if (rest > 1 && less % rest != 0)
        return false;
    return count % 4 != 0 || less % 4 == 0;
}

static enum status check_chases(const struct warp_manifest *manifest, struct error *error)
{
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct warp_stream *stream = &manifest->streams[i];
        const struct gpu_rule *rule = stream->rule;
        if (!stream->chase || stream->sided)
            continue;
        if (rule->fill != GPU_FILL_CHASE || rule->step != stream->step ||
            rule->count != stream->bytes / stream->step)
            return error_set(
                error, STATUS_FAILED,
                "the data of the manifest's streams[%zu], a chase, has no address for each of its "
                "%llu rows",
                i, (unsigned long long)(stream->bytes / stream->step));
        if (!is_one_cycle(rule))
            return error_set(
                error, STATUS_FAILED,
                "the chase of the manifest's streams[%zu] is more than one cycle: it visits only "
                "some of its %llu rows",
                i, (unsigned long long)rule->count);
    }
    return STATUS_OK;
}

enum status warp_manifest_read(const json_t *document, struct warp_manifest *manifest, struct error *error)
{
    const json_t *grid = json_object_get(document, "grid");
    const json_t *place = json_object_get(document, "place");
    *manifest = (struct warp_manifest){.document = document};
    if (!small(grid, "blocks", 1, MOST_BLOCKS, &manifest->blocks) ||
        !small(grid, "threads", 1, MOST_THREADS, &manifest->threads) ||
        !whole(document, "warmup", 0, MOST_WARMUP, &manifest->warmup))
        return error_set(error, STATUS_FAILED,
                         "the manifest's grid or warmup is wrong: expected 1 to %d blocks of 1 to %d threads "
                         "and at most %d passes before",
                         MOST_BLOCKS, MOST_THREADS, MOST_WARMUP);
    enum status status =
        gpu_image_read(json_object_get(document, "data"), &manifest->arena, &manifest->image, error);
    if (status == STATUS_OK)
        status = read_streams(manifest, error);
    if (status == STATUS_OK)
        status = check_chases(manifest, error);
    manifest->accesses = sum_of(json_object_get(document, "accesses"));
    manifest->transfers = sum_of(json_object_get(document, "transfers"));
    manifest->stored = sum_of(json_object_get(document, "stored"));
    manifest->is_placed = json_object_get(place, "sm") != NULL;
    read_kernel(manifest);
    return status;
}

void warp_manifest_free(struct warp_manifest *manifest)
{
    arena_free(&manifest->arena);
    *manifest = (struct warp_manifest){0};
}

enum status warp_manifest_learn(struct warp_manifest *manifest, const struct warp_chip *chip,
                                struct error *error)
{
    enum status status = STATUS_OK;
    unsigned char *sms = arena_alloc(&manifest->arena, chip->sms, 1);
    for (unsigned sm = 0; sm < chip->sms; sm++)
        sms[sm] = (unsigned char)warp_chip_near(chip, sm);
    for (size_t i = 0; status == STATUS_OK && i < manifest->image.rule_count; i++) {
        struct gpu_rule *rule = &manifest->image.rules[i];
        if (rule->fill != GPU_FILL_SIDES)
            continue;
        if (chip->sides < 2)
            return error_set(error, STATUS_FAILED,
                             "the program is for an L2 of two sides: this machine's has one");
        size_t chunks = gpu_sides_chunks(rule);
        unsigned char *homes = arena_alloc(&manifest->arena, chunks, 1);
        for (size_t k = 0; k < chunks; k++)
            homes[k] = (unsigned char)warp_chip_home(chip, WARP_DATA_ADDRESS + gpu_sides_first(rule) +
                                                               k * rule->chunk);
        const struct gpu_homes known = {homes, chunks, sms, chip->sms};
        status = gpu_sides_learn(rule, &known, &manifest->arena, error);
    }
    return status;
}

uint64_t warp_stream_begin(const struct warp_stream *stream, unsigned block)
{
    return stream->shared || stream->sided ? 0 : block * stream->block % stream->bytes;
}

unsigned warp_stream_links(const struct warp_stream *stream)
{
    return !stream->sided || stream->chase ? 0 : (stream->per_pass - 1) / stream->hop + 1;
}
