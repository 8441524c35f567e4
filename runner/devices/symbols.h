/* Functions of optional libraries, looked up at run time. */
#ifndef RUNNER_DEVICES_SYMBOLS_H
#define RUNNER_DEVICES_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct symbol {
    const char *name;
    size_t offset; /* of the function's pointer in the table to fill */
    bool optional; /* NULL if the library lacks it */
};

/* Fills the table from a library that dlopen returned. Returns the first required name that is missing; NULL:
 * none. */
const char *symbols_bind(void *library, const struct symbol *symbols, size_t count, void *table);

#endif
