#include "generator/plan/memory/reach.h"

#include <stdlib.h>

enum { WORD_BYTES = 8 };

static int by_offset(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return *x < *y ? -1 : *x > *y;
}

unsigned windows_count(const struct windows *windows, uint64_t *offsets, size_t count)
{
    unsigned found = 0;
    uint64_t end = windows->reached;
    qsort(offsets, count, sizeof *offsets, by_offset);
    for (size_t i = 0; i < count; i++) {
        if (offsets[i] + WORD_BYTES <= end)
            continue;
        end = offsets[i] / ANCHOR_ALIGN * ANCHOR_ALIGN + windows->bytes;
        found++;
    }
    return found;
}
