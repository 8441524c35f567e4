#include "base/arena.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    size_t used;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

enum { BLOCK_BYTES = 64 * 1024 };

void *arena_room(struct arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size)
        abort();
    size_t bytes = count * size;
    bytes = (bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    struct arena_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < bytes) {
        size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = memory_resized(NULL, sizeof *block + room, 1);
        block->size = room;
        block->used = 0;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *result = block->bytes + block->used;
    block->used += bytes;
    return result;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    return memset(arena_room(arena, count, size), 0, count * size);
}

void *arena_next(struct arena *arena, void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    void *larger = arena_alloc(arena, count == 0 ? 1 : 2 * count, size);
    return count == 0 ? larger : memcpy(larger, items, count * size);
}

char *arena_strdup(struct arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(arena_room(arena, bytes, 1), text, bytes);
}

char *arena_take(struct arena *arena, struct buffer *text)
{
    char *copy = arena_strdup(arena, text->size == 0 ? "" : text->data);
    buffer_free(text);
    return copy;
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = arena_alloc(arena, (size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks != NULL) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}
