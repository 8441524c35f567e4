/* What the sandbox is asked to run: the user's file, the prelude around it, and who takes its records. */
#ifndef GENERATOR_RECIPE_SANDBOX_REQUEST_H
#define GENERATOR_RECIPE_SANDBOX_REQUEST_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* One compiled-in part of the prelude: Lua text, and a pointer to its size. */
struct sandbox_piece {
    const char *name;
    const unsigned char *text;
    const unsigned long *size;
};

struct sandbox_request {
    const char *path;    /* the user's file */
    const json_t *input; /* an object; the prelude reads it as host.input */

    /* Run in this order, each with (host, house): house collects each piece's return value under its name.
     * The last one returns the function that runs the user's file. */
    const struct sandbox_piece *pieces;
    size_t piece_count;

    /* Called in the parent for each host.emit(kind, value). value is borrowed. Any status other than
     * STATUS_OK ends the child and is returned by sandbox_run. */
    enum status (*on_record)(const char *kind, json_t *value, void *context, struct error *error);

    /* NULL, or called first with each record's text, {"KIND":VALUE} without blanks; sets *taken to false to
     * pass the record to on_record. */
    enum status (*on_text)(const char *text, size_t size, bool *taken, void *context, struct error *error);
    void *context;
};

#endif
