/* A user's text as the sandbox compiles it: with every # of the language replaced, for Lua's own length of a
 * list with holes changes with the hash seed, from run to run. */
#ifndef GENERATOR_RECIPE_SANDBOX_SOURCE_H
#define GENERATOR_RECIPE_SANDBOX_SOURCE_H

#include "base/buffer.h"

#include <stdbool.h>

/* Writes the text with L ^ in place of each # that is an operator, as the body of a function with L as an
 * upvalue: the chunk gets L and returns the function. Lines stay. False, and nothing written, where the text
 * has no such #. The text must be good Lua. */
bool sandbox_source_measured(const struct buffer *text, struct buffer *output);

#endif
