#include "generator/plan/gpu/gpu_image.h"

#include "base/json.h"
#include "generator/plan/gpu/gpu_image_sides.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 1 << 16, MOST_WORD = 128, HEX_BYTES = 24 };

static const char *const fills[] = {"zeros", "words", "chase", "sides"};

/* ---- to a manifest ---- */

static json_t *hex_number(uint64_t number)
{
    char text[HEX_BYTES];
    snprintf(text, sizeof text, "0x%" PRIx64, number);
    return json_string(text);
}

/* The bytes as one number per line of words, highest byte first. */
static json_t *words_to_json(const struct gpu_rule *rule, unsigned width)
{
    json_t *words = json_array();
    for (size_t at = 0; at + width <= rule->word_bytes; at += width) {
        char text[2 + 2 * MOST_WORD + 1] = "0x";
        for (unsigned i = 0; i < width; i++)
            snprintf(text + 2 + 2 * i, 3, "%02x", rule->words[at + width - 1 - i]);
        json_array_append_new(words, json_string(text));
    }
    return words;
}

static unsigned width_of(size_t bytes)
{
    unsigned width = 4;
    while (width < 32 && bytes % (2 * (size_t)width) == 0)
        width *= 2;
    return width;
}

json_t *gpu_rule_to_json(const struct gpu_rule *rule)
{
    json_t *fill = json_pack("{s:s}", "kind", fills[rule->fill]);
    if (rule->fill == GPU_FILL_SIDES)
        gpu_sides_to_json(rule, fill);
    if (rule->word_bytes > 0) {
        unsigned width = width_of(rule->word_bytes);
        json_object_set_new(fill, "width", json_integer(width));
        json_object_set_new(fill, "words", words_to_json(rule, width));
    }
    if (rule->fill == GPU_FILL_CHASE) {
        json_object_set_new(fill, "step", json_integer((json_int_t)rule->step));
        json_object_set_new(fill, "count", json_integer((json_int_t)rule->count));
        json_object_set_new(fill, "multiplier", hex_number(rule->multiplier));
        json_object_set_new(fill, "increment", hex_number(rule->increment));
        json_object_set_new(fill, "relative", json_boolean(rule->relative));
    }
    return fill;
}

/* ---- from a manifest ---- */

static bool read_size(const json_t *object, const char *key, uint64_t *number)
{
    const json_t *value = json_object_get(object, key);
    *number = (uint64_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0 && *number < (uint64_t)1 << 48;
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
        return gpu_sides_from_json(fill, rule) && read_words(fill, arena, rule);
    default:
        return false;
    }
}

enum status gpu_image_read(const json_t *data, struct arena *arena, struct gpu_image *image,
                           struct error *error)
{
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
        if (rule->offset < free_from || rule->offset + rule->bytes > image->bytes)
            return error_set(error, STATUS_FAILED,
                             "the manifest's data.regions[%zu] overlaps another region or exceeds the data",
                             i);
        free_from = rule->offset + rule->bytes;
    }
    return STATUS_OK;
}

/* ---- the bytes ---- */

static void put_word(unsigned char *bytes, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> (8 * i));
}

static uint64_t next_of(const struct gpu_rule *rule, uint64_t index)
{
    if (rule->multiplier == 1) /* most chases; 128 bits are slow to divide */
        return (index + rule->increment % rule->count) % rule->count;
    unsigned __int128 product = (unsigned __int128)rule->multiplier * index + rule->increment;
    return (uint64_t)(product % rule->count);
}

static void fill_chase(const struct gpu_rule *rule, uint64_t address, uint64_t from, uint64_t size,
                       unsigned char *bytes)
{
    uint64_t start = rule->relative ? 0 : address + rule->offset;
    for (uint64_t at = 0; at < size;) {
        /* The words repeat past the end of the working set, because threads reach beyond it. */
        uint64_t row = (from + at) / rule->step, inside = (from + at) % rule->step;
        uint64_t next = start + next_of(rule, row % rule->count) * rule->step;
        for (; at < size && inside < rule->step; at += 8, inside += 8)
            put_word(bytes + at, next + inside);
    }
}

static void fill_words(const struct gpu_rule *rule, uint64_t from, uint64_t size, unsigned char *bytes)
{
    uint64_t at = 0;
    while (at < size) {
        size_t phase = (size_t)((from + at) % rule->word_bytes);
        size_t part = rule->word_bytes - phase;
        if (part > size - at)
            part = (size_t)(size - at);
        memcpy(bytes + at, rule->words + phase, part);
        at += part;
    }
}

void gpu_image_fill(const struct gpu_image *image, uint64_t address, uint64_t from, size_t size,
                    unsigned char *bytes)
{
    memset(bytes, 0, size);
    for (size_t i = 0; i < image->rule_count; i++) {
        const struct gpu_rule *rule = &image->rules[i];
        uint64_t low = from > rule->offset ? from : rule->offset;
        uint64_t end = rule->offset + rule->bytes;
        uint64_t high = from + size < end ? from + size : end;
        if (low >= high)
            continue;
        if (rule->fill == GPU_FILL_CHASE)
            fill_chase(rule, address, low - rule->offset, high - low, bytes + (low - from));
        else if (rule->fill == GPU_FILL_SIDES)
            gpu_sides_fill(rule, address, low - rule->offset, high - low, bytes + (low - from));
        else if (rule->fill == GPU_FILL_WORDS)
            fill_words(rule, low - rule->offset, high - low, bytes + (low - from));
    }
}

json_t *gpu_image_on_side(const json_t *data, const char *side)
{
    json_t *copy = json_deep_copy(data);
    json_t *regions = json_object_get(copy, "regions");
    for (size_t i = 0; i < json_array_size(regions); i++) {
        json_t *fill = json_object_get(json_array_get(regions, i), "fill");
        if (strcmp(json_string_or(fill, "kind", ""), "sides") == 0)
            json_object_set_new(fill, "side", json_string(side));
    }
    return copy;
}
