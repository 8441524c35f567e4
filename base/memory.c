#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_zeroed(size_t count, size_t size)
{
    void *items = calloc(count == 0 ? 1 : count, size);
    if (items == NULL)
        abort();
    return items;
}

void *memory_resized(void *items, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        abort();
    void *resized = realloc(items, count * size == 0 ? 1 : count * size);
    if (resized == NULL)
        abort();
    return resized;
}

void *memory_next(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    return memory_resized(items, count == 0 ? 1 : 2 * count, size);
}

char *memory_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(memory_resized(NULL, bytes, 1), text, bytes);
}

char *memory_printed(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    return text;
}

void memory_keep(void)
{
    enum { KEPT_BYTES = 1 << 25 }; /* the most that the C library takes */
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    mallopt(M_TRIM_THRESHOLD, 2 * KEPT_BYTES);
}
