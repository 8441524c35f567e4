/* Lines of the loop that differ in one number alone: each text is filled in once, and its shape found once.
 */
#ifndef GENERATOR_EMIT_EMIT_LINES_H
#define GENERATOR_EMIT_EMIT_LINES_H

#include "base/arena.h"
#include "generator/emit/emission.h"

/* An empty cache from the arena. */
struct line_cache *line_cache_new(const struct plan *plan, struct arena *arena);

#endif
