/* Compares statements of the templates' rows with those of a program's text. */
#ifndef RUNNER_SOURCES_GPU_GRID_ROW_H
#define RUNNER_SOURCES_GPU_GRID_ROW_H

#include <stdbool.h>
#include <stddef.h>

enum { GRID_ROLES = 12 };

/* The program's text for each {name} of a row. */
struct grid_roles {
    struct {
        const char *name, *text; /* not NUL-terminated: in the row and in the program */
        size_t name_length, length;
    } items[GRID_ROLES];
    size_t count;
};

/* True if the program's statement, which ends at a semicolon, matches the row's statement of that length:
 * "add.u32 {accumulator}, {accumulator}, {other}". Text outside braces must be the same. A {name} stands for
 * a register or a vector of registers in braces; within a word, for letters or digits. The same name always
 * stands for the same text, and different names for different texts. Adds to *roles, which may hold those of
 * the row's earlier statements; if false, *roles is unchanged. */
bool grid_row_is(const char *row, size_t length, const char *statement, struct grid_roles *roles);

/* The row's first statement from *at on, without blanks around it; moves *at behind it. NULL if there is
 * none. Labels, directives and comments are no statements. */
const char *grid_row_next(const char **at, size_t *length);

/* True if the statement of a row has {name}. */
bool grid_row_names(const char *row, size_t length, const char *name);

#endif
