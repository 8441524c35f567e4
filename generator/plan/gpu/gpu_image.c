#include "generator/plan/gpu/gpu_image.h"

#include "generator/plan/gpu/gpu_image_sides.h"

#include <string.h>

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
            gpu_rule_put(bytes + at, next + inside);
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
