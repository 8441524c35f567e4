/* Runs untrusted Lua: a user's file runs in a child process with limits on memory, instructions, output and
 * CPU time, and returns its declarations as JSON records. */
#ifndef GENERATOR_RECIPE_SANDBOX_H
#define GENERATOR_RECIPE_SANDBOX_H

#include "base/error.h"

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* One compiled-in part of the prelude: Lua text, and a pointer to its size. */
struct sandbox_piece {
    const char *name;
    const unsigned char *text;
    const unsigned long *size;
};

struct sandbox_request {
    const char *path; /* the user's file */

    /* Called in the child: pushes the table that the prelude reads as host.input. */
    void (*push_input)(lua_State *lua, void *context);

    /* Run in this order, each with (host, house): house collects each piece's return value under its name.
     * The last one returns the function that runs the user's file. */
    const struct sandbox_piece *pieces;
    size_t piece_count;

    /* Called in the parent with the text of each host.emit(kind, value), {"KIND":VALUE} without blanks. Any
     * status other than STATUS_OK ends the child and is returned by sandbox_run. */
    enum status (*on_record)(const char *text, size_t size, void *context, struct error *error);
    void *context;
};

/* Runs the file to its end. STATUS_RECIPE, with file and line if known, if it raises an error, exceeds a
 * limit or its process dies; STATUS_USAGE if it cannot be read. Every file gets 4 s of CPU time plus 0.1 ms
 * per declared point. */
enum status sandbox_run(const struct sandbox_request *request, struct error *error);

#endif
