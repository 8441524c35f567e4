/* A statement of the templates' rows, held against one of a program's text. */
#ifndef RUNNER_SOURCES_GPU_GRID_ROW_H
#define RUNNER_SOURCES_GPU_GRID_ROW_H

#include <stdbool.h>
#include <stddef.h>

enum { GRID_ROLES = 12 };

/* What stands in the program's text for each {name} of a row. */
struct grid_roles {
    struct {
        const char *name, *text; /* not ended: in the row and in the program */
        size_t name_length, length;
    } items[GRID_ROLES];
    size_t count;
};

/* True if the program's statement, which ends at a semicolon, is the row's: "add.u32 {accumulator},
 * {accumulator}, {other}", of that length. Everything out of braces stands there as in the row; a {name}
 * stands for a register or a vector of registers in braces, everywhere for the same one, and different names
 * for different ones; within a word, for letters or digits. Adds to *roles, which may hold those of the row's
 * earlier statements; leaves them as they are if it is false. */
bool grid_row_is(const char *row, size_t length, const char *statement, struct grid_roles *roles);

/* The row's first statement from *at on, without what surrounds it, and *at behind it; NULL if there is none.
 * Labels, directives and comments are none. */
const char *grid_row_next(const char **at, size_t *length);

/* True if the statement of a row has {name}. */
bool grid_row_names(const char *row, size_t length, const char *name);

#endif
