/* Functions of libraries that a user may lack, found at run time. */
#ifndef RUNNER_LAUNCH_SYMBOLS_H
#define RUNNER_LAUNCH_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct symbol {
    const char *name;
    size_t offset; /* of the function's pointer in the table to fill */
    bool optional; /* NULL where the library lacks it */
};

/* Fills the table from a library that dlopen gave. Returns the first name that it lacks and is not optional;
 * NULL: none. */
const char *symbols_bind(void *library, const struct symbol *symbols, size_t count, void *table);

#endif
