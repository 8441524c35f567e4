#include "isa/loop_ranges.h"

#include "base/memory.h"
#include "isa/object.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANGES = 1000000 };

static enum status read_whole(const void *object, size_t size, const struct object_part *text,
                              struct loop_ranges *ranges, struct error *error)
{
    uint64_t loop = 0;
    uint64_t end = 0;
    enum status status = object_symbol(object, size, "trauma_loop", &loop, error);
    if (status == STATUS_OK)
        status = object_symbol(object, size, "trauma_loop_end", &end, error);
    if (status != STATUS_OK)
        return status;
    if (loop > end || end > text->size)
        return error_set(error, STATUS_FAILED, "the object's loop labels are out of order");
    ranges->items = memory_resized(NULL, 1, sizeof *ranges->items);
    ranges->items[0] = (struct loop_range){loop, end - loop};
    ranges->count = 1;
    return STATUS_OK;
}

/* The table: the number of pieces, then the start and the length of each, in words of 64 bits. */
static enum status read_table(const struct object_part *constants, uint64_t at, uint64_t code_bytes,
                              struct loop_ranges *ranges, struct error *error)
{
    uint64_t count = 0;
    if (at <= constants->size && constants->size - at >= sizeof count)
        memcpy(&count, constants->bytes + at, sizeof count);
    if (count == 0 || count > MOST_RANGES ||
        count > (constants->size - at - sizeof count) / sizeof *ranges->items)
        return error_set(error, STATUS_FAILED, "the object's trauma_chunks are truncated");
    ranges->items = memory_resized(NULL, count, sizeof *ranges->items);
    ranges->count = count;
    memcpy(ranges->items, constants->bytes + at + sizeof count, count * sizeof *ranges->items);
    for (size_t i = 0; i < count; i++)
        if (ranges->items[i].start > code_bytes ||
            ranges->items[i].bytes > code_bytes - ranges->items[i].start)
            return error_set(error, STATUS_FAILED, "the object's trauma_chunks point outside its code");
    return STATUS_OK;
}

enum status loop_ranges_read(const void *object, size_t size, struct loop_ranges *ranges, struct error *error)
{
    memset(ranges, 0, sizeof *ranges);
    struct object_part text;
    struct object_part constants;
    uint64_t at;
    enum status status = object_section(object, size, ".text", &text, error);
    if (status != STATUS_OK)
        return status;
    if (object_symbol(object, size, "trauma_chunks", &at, NULL) != STATUS_OK)
        return read_whole(object, size, &text, ranges, error);
    status = object_section(object, size, ".rodata", &constants, error);
    return status == STATUS_OK ? read_table(&constants, at, text.size, ranges, error) : status;
}

unsigned loop_ranges_lines(const struct loop_ranges *ranges, unsigned line)
{
    unsigned lines = 0;
    uint64_t before = UINT64_MAX;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct loop_range *range = &ranges->items[i];
        if (range->bytes == 0)
            continue;
        uint64_t first = range->start / line;
        uint64_t last = (range->start + range->bytes - 1) / line;
        lines += (unsigned)(last - first) + (first != before);
        before = last;
    }
    return lines;
}

void loop_ranges_free(struct loop_ranges *ranges)
{
    free(ranges->items);
    memset(ranges, 0, sizeof *ranges);
}
