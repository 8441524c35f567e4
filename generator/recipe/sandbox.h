/* Runs untrusted Lua: a user's file runs in a child process with limits on memory, instructions, output and
 * CPU time, and returns its declarations as JSON records. */
#ifndef GENERATOR_RECIPE_SANDBOX_H
#define GENERATOR_RECIPE_SANDBOX_H

#include "base/error.h"
#include "generator/recipe/sandbox_request.h"

/* Runs the file to its end. STATUS_RECIPE, with file and line if known, if it raises an error, exceeds a
 * limit or its process dies; STATUS_USAGE if it cannot be read. Every file gets 4 s of CPU time plus 0.1 ms
 * per declared point. */
enum status sandbox_run(const struct sandbox_request *request, struct error *error);

#endif
