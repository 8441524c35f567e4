/* Functions of optional libraries, looked up at run time. */
#ifndef RUNNER_DEVICES_SYMBOLS_H
#define RUNNER_DEVICES_SYMBOLS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct library_symbol {
    const char *name;
    size_t offset; /* of the function's pointer in the table to fill */
    bool optional; /* NULL if the library lacks it */
};

/* Fills the table from a library that dlopen returned. Returns the first required name that is missing; NULL:
 * none. */
const char *symbols_bind(void *library, const struct library_symbol *symbols, size_t count, void *table);

/* A library that a user may lack, and the texts of errors. */
struct symbols_library {
    const char *path;
    const char *what;     /* "NVIDIA's NVML" */
    const char *get;      /* the remedy if it is missing: where it comes from */
    const char *kind;     /* the required version, if it lacks a function: "OpenCL 1.2 or newer" */
    const char *get_kind; /* the remedy then */
    const struct library_symbol *symbols;
    size_t count;
};

/* Opens the library and fills the table; *handle is for dlclose, NULL if it cannot be opened.
 * STATUS_UNAVAILABLE, with the remedy, if it cannot be opened or lacks a required function. */
enum status symbols_open(const struct symbols_library *library, void **handle, void *table,
                         struct error *error);

#endif
