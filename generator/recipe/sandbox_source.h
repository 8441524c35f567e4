/* A user's text as the sandbox compiles it: with every # operator replaced, because Lua's own length of a
 * list with holes depends on the hash seed and so varies between runs. */
#ifndef GENERATOR_RECIPE_SANDBOX_SOURCE_H
#define GENERATOR_RECIPE_SANDBOX_SOURCE_H

#include "base/buffer.h"

#include <stdbool.h>

/* Writes the text with "L ^" for each # operator, as the body of a function with L as an upvalue: the chunk
 * receives L and returns the function. Line numbers stay the same. False, with nothing written, if the text
 * has no such #. The text must be valid Lua. */
bool sandbox_source_measured(const struct buffer *text, struct buffer *output);

#endif
