/* Lua that nobody has to trust: a user's file runs in a child process with limits on memory, instructions,
 * output and CPU time, and what it declares comes back as JSON records. */
#ifndef GENERATOR_RECIPE_SANDBOX_H
#define GENERATOR_RECIPE_SANDBOX_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* One compiled-in part of the prelude: Lua text, and its size where the linker knows it. */
struct sandbox_piece {
    const char *name;
    const unsigned char *text;
    const unsigned long *size;
};

struct sandbox_request {
    const char *path;    /* the user's file */
    const json_t *input; /* an object; the prelude reads it as host.input */

    /* Run in this order, each with (host, house): house collects what each piece returns under the piece's
     * name. The last one returns the function that runs the user's file. */
    const struct sandbox_piece *pieces;
    size_t piece_count;

    /* Called in the parent for each host.emit(kind, value). value is borrowed. Another status than STATUS_OK
     * ends the child and is what sandbox_run returns. */
    enum status (*on_record)(const char *kind, json_t *value, void *context, struct error *error);

    /* NULL, or called first with each record as it came, {"KIND":VALUE} without blanks: *taken is false when
     * it shall go to on_record. */
    enum status (*on_text)(const char *text, size_t size, bool *taken, void *context, struct error *error);
    void *context;
};

/* Runs the file to its end. STATUS_RECIPE, with file and line where there is one, when it raises an error,
 * breaks a limit or its process dies; STATUS_USAGE when it cannot be read. Whatever the file holds, it has
 * 4 s of CPU time, and 0.1 ms more for each point that it declares. */
enum status sandbox_run(const struct sandbox_request *request, struct error *error);

#endif
