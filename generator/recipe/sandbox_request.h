/* A request to the sandbox: the user's file, the prelude around it, and the receiver of its records. */
#ifndef GENERATOR_RECIPE_SANDBOX_REQUEST_H
#define GENERATOR_RECIPE_SANDBOX_REQUEST_H

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

#endif
