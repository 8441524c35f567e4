#include "generator/suite/gpu_regions.h"

#include "base/json.h"
#include "generator/plan/gpu/gpu_image_sides.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 1 << 16, MOST_WORD = 128, HEX_BYTES = 24 };
enum { WORD = 8, MOST_SMS = 65536, MOST_STARTS = 4096, LEAST_CHUNK = 512, MOST_CHUNK = 1 << 24 };

static const char *const fills[] = {"zeros", "words", "chase", "sides"};

/* ---- to a manifest ---- */

static void write_hex(struct json_text *text, const char *name, uint64_t number)
{
    char hex[HEX_BYTES];
    snprintf(hex, sizeof hex, "0x%" PRIx64, number);
    json_text_string(text, name, hex);
}

/* The bytes as one number per line of words, highest byte first. */
static void write_words(struct json_text *text, const struct gpu_rule *rule)
{
    unsigned width = 4;
    while (width < 32 && rule->word_bytes % (2 * (size_t)width) == 0)
        width *= 2;
    json_text_integer(text, "width", width);
    json_text_open(text, "words", '[');
    for (size_t at = 0; at + width <= rule->word_bytes; at += width) {
        char word[2 + 2 * MOST_WORD + 1] = "0x";
        for (unsigned i = 0; i < width; i++)
            snprintf(word + 2 + 2 * i, 3, "%02x", rule->words[at + width - 1 - i]);
        json_text_string(text, NULL, word);
    }
    json_text_close(text, ']');
}

static void write_sides(struct json_text *text, const struct gpu_rule *rule)
{
    json_text_pack(text, "{s:s, s:I, s:I}", "side", rule->far ? "far" : "near", "chunk",
                   (json_int_t)rule->chunk, "header", (json_int_t)rule->header);
    if (rule->header > 0)
        json_text_integer(text, "bus", rule->bus);
    json_text_pack(text, "{s:I, s:i, s:i}", "count", (json_int_t)rule->count, "sm", (int)rule->sm, "starts",
                   (int)rule->starts);
}

void gpu_rule_write(struct json_text *text, const char *name, const struct gpu_rule *rule)
{
    json_text_open(text, name, '{');
    json_text_string(text, "kind", fills[rule->fill]);
    if (rule->fill == GPU_FILL_SIDES)
        write_sides(text, rule);
    if (rule->word_bytes > 0)
        write_words(text, rule);
    if (rule->fill == GPU_FILL_CHASE) {
        json_text_integer(text, "step", (long long)rule->step);
        json_text_integer(text, "count", (long long)rule->count);
        write_hex(text, "multiplier", rule->multiplier);
        write_hex(text, "increment", rule->increment);
        json_text_bool(text, "relative", rule->relative);
    }
    json_text_close(text, '}');
}

void gpu_regions_state(const struct gpu_plan *plan, struct manifest_data *data)
{
    struct json_text text = {.buffer = NULL};
    json_text_open(&text, NULL, '{');
    json_text_pack(&text, "{s:I, s:I}", "bytes", (json_int_t)plan->bytes, "align", (json_int_t)plan->align);
    json_text_open(&text, "regions", '[');
    for (int shared = 1; shared >= 0; shared--)
        for (size_t i = 0; i < plan->stream_count; i++) {
            const struct gpu_stream *stream = &plan->streams[i];
            if (gpu_level_in_shared(stream->level) != (shared == 1))
                continue;
            json_text_open(&text, NULL, '{');
            json_text_pack(&text, "{s:I, s:s, s:I, s:I}", "stream", (json_int_t)i, "level",
                           gpu_level_name((int)stream->level), "offset", (json_int_t)stream->rule.offset,
                           "bytes", (json_int_t)stream->rule.bytes);
            gpu_rule_write(&text, "fill", &stream->rule);
            json_text_close(&text, '}');
        }
    json_text_close(&text, ']');
    json_text_close(&text, '}');
    data->document = text.tree[0];
}

/* ---- from a manifest ---- */

static bool read_whole(const json_t *object, const char *key, uint64_t least, uint64_t most, uint64_t *number)
{
    const json_t *value = json_object_get(object, key);
    *number = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0 && *number >= least && *number <= most;
}

static bool read_size(const json_t *object, const char *key, uint64_t *number)
{
    return read_whole(object, key, 0, ((uint64_t)1 << 48) - 1, number);
}

static bool read_hex(const json_t *object, const char *key, uint64_t *number)
{
    const char *text = json_string_or(object, key, "");
    char *end = NULL;
    if (strncmp(text, "0x", 2) != 0 || strlen(text) > 18 ||
        strspn(text + 2, "0123456789abcdef") + 2 != strlen(text))
        return false;
    *number = strtoull(text + 2, &end, 16);
    return end != text + 2 && *end == '\0';
}

static bool read_word(const char *text, unsigned width, unsigned char *bytes)
{
    static const char digits[] = "0123456789abcdef";
    if (text == NULL || strncmp(text, "0x", 2) != 0 || strlen(text) != 2 + 2 * (size_t)width)
        return false;
    for (unsigned i = 0; i < width; i++) {
        const char *high = strchr(digits, text[2 + 2 * i]);
        const char *low = strchr(digits, text[3 + 2 * i]);
        if (high == NULL || low == NULL)
            return false;
        bytes[width - 1 - i] = (unsigned char)((high - digits) * 16 + (low - digits));
    }
    return true;
}

static bool read_words(const json_t *fill, struct arena *arena, struct gpu_rule *rule)
{
    const json_t *words = json_object_get(fill, "words");
    if (words == NULL && rule->fill == GPU_FILL_SIDES)
        return true;
    uint64_t width = 0;
    size_t count = json_array_size(words);
    if (!read_size(fill, "width", &width) || width < 4 || width > MOST_WORD || (width & (width - 1)) != 0 ||
        count < 1 || count > MOST_WORDS)
        return false;
    unsigned char *bytes = arena_alloc(arena, count * width, 1);
    rule->words = bytes;
    rule->word_bytes = count * width;
    for (size_t i = 0; i < count; i++)
        if (!read_word(json_string_value(json_array_get(words, i)), (unsigned)width, bytes + i * width))
            return false;
    return true;
}

static bool read_chase(const json_t *fill, struct gpu_rule *rule)
{
    rule->relative = json_is_true(json_object_get(fill, "relative"));
    return read_size(fill, "step", &rule->step) && read_size(fill, "count", &rule->count) &&
           read_hex(fill, "multiplier", &rule->multiplier) && read_hex(fill, "increment", &rule->increment) &&
           rule->step >= 8 && rule->step % 8 == 0 && rule->count >= 1 &&
           rule->count <= ((uint64_t)1 << 47) / rule->step;
}

static bool read_sides(const json_t *fill, struct gpu_rule *rule)
{
    uint64_t sm = 0;
    uint64_t starts = 0;
    uint64_t bus = 0;
    const char *side = json_string_or(fill, "side", "");
    bool good = read_whole(fill, "chunk", LEAST_CHUNK, MOST_CHUNK, &rule->chunk) &&
                read_whole(fill, "header", 0, rule->chunk / 2, &rule->header) &&
                (rule->header == 0 || read_whole(fill, "bus", WORD, rule->header - WORD, &bus)) &&
                read_whole(fill, "count", 1, UINT32_MAX, &rule->count) &&
                read_whole(fill, "sm", 1, MOST_SMS, &sm) &&
                read_whole(fill, "starts", 1, MOST_STARTS, &starts);
    rule->sm = (unsigned)sm;
    rule->bus = (unsigned)bus;
    rule->starts = (unsigned)starts;
    rule->far = strcmp(side, "far") == 0;
    good = good && (rule->far || strcmp(side, "near") == 0) && (rule->chunk & (rule->chunk - 1)) == 0 &&
           rule->header % WORD == 0 && rule->bus % WORD == 0 && rule->offset % WORD == 0;
    return good && gpu_sides_chunks(rule) >= GPU_SIDES * rule->count && gpu_sides_chunks(rule) < UINT32_MAX;
}

static bool read_rule(const json_t *region, struct arena *arena, struct gpu_rule *rule)
{
    const json_t *fill = json_object_get(region, "fill");
    const char *kind = json_string_or(fill, "kind", "");
    *rule = (struct gpu_rule){0};
    if (!read_size(region, "offset", &rule->offset) || !read_size(region, "bytes", &rule->bytes) ||
        rule->offset % 8 != 0 || rule->bytes % 8 != 0)
        return false;
    size_t row = 0;
    while (row < sizeof fills / sizeof fills[0] && strcmp(kind, fills[row]) != 0)
        row++;
    rule->fill = (enum gpu_fill)row;
    switch (rule->fill) {
    case GPU_FILL_ZEROS:
        return true;
    case GPU_FILL_WORDS:
        return read_words(fill, arena, rule);
    case GPU_FILL_CHASE:
        return read_chase(fill, rule);
    case GPU_FILL_SIDES:
        return read_sides(fill, rule) && read_words(fill, arena, rule);
    default:
        return false;
    }
}

enum status gpu_regions_read(const struct manifest_data *stated, struct arena *arena, struct gpu_image *image,
                             struct error *error)
{
    const json_t *data = stated->document;
    const json_t *regions = json_object_get(data, "regions");
    *image = (struct gpu_image){0};
    if (!read_size(data, "bytes", &image->bytes) || !read_size(data, "align", &image->align) ||
        image->align == 0)
        return error_set(
            error, STATUS_FAILED,
            "the manifest's data.bytes or data.align is missing: expected two sizes, the second above 0");
    image->rule_count = json_array_size(regions);
    image->rules = arena_alloc(arena, image->rule_count, sizeof *image->rules);
    uint64_t free_from = 0;
    for (size_t i = 0; i < image->rule_count; i++) {
        struct gpu_rule *rule = &image->rules[i];
        if (!read_rule(json_array_get(regions, i), arena, rule))
            return error_set(error, STATUS_FAILED,
                             "the manifest's data.regions[%zu] is wrong: expected offset, bytes and a fill",
                             i);
        if (rule->fill == GPU_FILL_SIDES && stated->side != NULL)
            rule->far = strcmp(stated->side, "far") == 0;
        if (rule->offset < free_from || rule->offset + rule->bytes > image->bytes)
            return error_set(error, STATUS_FAILED,
                             "the manifest's data.regions[%zu] overlaps another region or exceeds the data",
                             i);
        free_from = rule->offset + rule->bytes;
    }
    return STATUS_OK;
}
