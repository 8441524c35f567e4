/* Aligned tables: a header and rows of text, each column as wide as its widest cell. A cell is one
 * line; terminal control characters in it are shown as escapes (base/text/visible.h). */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/buffer.h"
#include "base/text/text_set.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum table_align { TABLE_LEFT, TABLE_RIGHT }; /* text to the left, numbers to the right */

struct table_column {
    char *title;
    enum table_align align;
};

/* A reason why numbers of some rows are marked with "?". */
struct table_mark {
    char *rows; /* the names of the first three */
    char *last; /* the row that was marked last: it counts once, even with several marked numbers */
    size_t count;
};

/* All zeros is a table without columns and rows. Owns everything that it points to. */
struct table {
    struct table_column *columns;
    size_t column_count;
    char **cells; /* row by row */
    size_t cell_count;
    size_t capacity;
    struct text_set notes;    /* sentences that cells refer to by number */
    struct text_set reasons;  /* of the marks; printed below the notes */
    struct table_mark *marks; /* [reasons.count] */
};

/* Makes a table with columns of these titles, separated by '|'; ">" before a title: aligned to the right. */
struct table table_of(const char *titles);

void table_add_column(struct table *table, const char *title, enum table_align align);

/* Adds the next cell. Cells fill rows from the left, and a row is complete after column_count of them. */
__attribute__((format(printf, 2, 3))) void table_cell(struct table *table, const char *format, ...);

/* Adds a cell for each text. */
void table_add_texts(struct table *table, size_t count, const char *const *texts);
#define table_texts(table, ...)                                                                              \
    table_add_texts((table), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *),              \
                    (const char *const[]){__VA_ARGS__})

/* The cell text for a sentence: the sentence itself if it is short or table is NULL, else "[N]", referring to
 * a note below the table. Equal sentences share a note. */
void table_note(struct table *table, const char *sentence, char *text, size_t capacity);

/* Adds the reason for a "?" in that row; equal reasons are printed once, with their rows. Does nothing for
 * the reason
 * "". */
void table_doubt(struct table *table, const char *reason, const char *row);

/* The explanation of reasons.texts[reason]: "? all repetitions were disturbed (dcache/hit=0.5)". */
void table_write_mark(const struct table *table, size_t reason, struct buffer *text);

/* Moves all rows of a table with the same columns to the end of this one. */
void table_take_rows(struct table *table, struct table *from);

/* Appends the table as text without trailing blanks, then an empty line and the notes. styled: underlines the
 * header, for a terminal. A line longer than `width` columns (0: unlimited) continues below its last column,
 * if that is text and has room. */
void table_write(const struct table *table, bool styled, size_t width, struct buffer *buffer);

/* Prints the table, styled if `to` is a terminal and NO_COLOR is unset or empty, at the terminal's
 * width; elsewhere each row is one line. */
void table_print(const struct table *table, FILE *to);

/* Frees the contents; leaves an empty table. */
void table_free(struct table *table);

/* Prints and frees the table. */
void table_finish(struct table *table, FILE *to);

#endif
