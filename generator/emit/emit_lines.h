/* Loop lines that differ only in one number: the text is expanded once, and its shape is looked up once. */
#ifndef GENERATOR_EMIT_EMIT_LINES_H
#define GENERATOR_EMIT_EMIT_LINES_H

#include "base/arena.h"
#include "generator/emit/emission.h"

/* An empty cache from the arena. */
struct known_line_cache *line_cache_new(const struct plan *plan, struct arena *arena);

#endif
