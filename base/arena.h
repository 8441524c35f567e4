/* Memory that is freed all at once: one arena a plan, so that nothing in a plan has an owner of its own. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/* An arena that is all zeros is empty and ready for use. */
struct arena {
    struct arena_block *blocks;
};

/* count * size zeroed bytes, aligned for any type, valid until arena_free. Never NULL: a machine that is out
 * of memory ends the process, as every caller would have to. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);

/* The same bytes with anything in them, for whoever writes all of them. */
void *arena_room(struct arena *arena, size_t count, size_t size);

/* A copy of text in the arena. */
char *arena_strdup(struct arena *arena, const char *text);

/* Frees all that was allocated from the arena and leaves it empty. */
void arena_free(struct arena *arena);

#endif
