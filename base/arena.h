/* Memory that is freed all at once: each plan has one arena, which owns everything in it. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/buffer.h"

#include <stddef.h>

struct arena_block;

/* An arena that is all zeros is empty and ready for use. */
struct arena {
    struct arena_block *blocks;
};

/* count size zeroed bytes, aligned for any type, valid until arena_free. Never NULL: the process ends if
 * memory runs out. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* The same without zeroing, for callers that write every byte. */
void *arena_room(struct arena *arena, size_t count, size_t size);

/* Makes room for one zeroed item after the existing count of a list in the arena; NULL is an empty list. Room
 * doubles whenever count is a power of two, so every item must be added through this function. */
void *arena_next(struct arena *arena, void *items, size_t count, size_t size);

/* A copy of text in the arena. */
char *arena_strdup(struct arena *arena, const char *text);

/* Copies in the arena: of the text that printf would print, and of a buffer's text; the buffer is freed. */
__attribute__((format(printf, 2, 3))) char *arena_print(struct arena *arena, const char *format, ...);
char *arena_take(struct arena *arena, struct buffer *text);

/* Frees everything allocated from the arena and leaves it empty. */
void arena_free(struct arena *arena);

#endif
