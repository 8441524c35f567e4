/* Aligned tables on stdout, as the commands print them: a header and rows of text, each column as wide as its
 * widest cell. A cell is one line; what could drive a terminal in it is shown as an escape (base/visible.h).
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

enum table_align { TABLE_LEFT, TABLE_RIGHT }; /* text to the left, numbers to the right */

struct table_column {
    const char *title;
    enum table_align align;
};

/* A table without rows is {.columns = columns, .column_count = count}; the columns must outlive it. */
struct table {
    const struct table_column *columns;
    size_t column_count;
    char **cells; /* row by row; owned by the table */
    size_t cell_count;
    size_t capacity;
    char **notes; /* sentences that cells name by their numbers; owned by the table */
    size_t note_count;
};

/* Adds the next cell. Cells fill rows from the left, and a row is complete after column_count of them. */
__attribute__((format(printf, 2, 3))) void table_cell(struct table *table, const char *format, ...);

/* What a cell is to say of a sentence: the sentence where it is short or table is NULL, else "[N]" for its
 * note below the table, where equal ones stand once. */
void table_note(struct table *table, const char *sentence, char *text, size_t capacity);

/* Appends the table as text, notes below it after an empty line, without blanks at the ends of lines; styled
 * underlines the header for a terminal. A line that passes `width` columns (0: there is no bound) goes on
 * under its last column, where that is text and has room. */
void table_write(const struct table *table, bool styled, size_t width, struct buffer *buffer);

/* Prints the table to stdout, styled when that is a terminal and NO_COLOR is unset or empty, as wide as the
 * terminal; what goes elsewhere keeps a line a row. */
void table_print(const struct table *table);

/* Frees cells and notes and leaves a table without rows. */
void table_free(struct table *table);

#endif
