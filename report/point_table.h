/* The table that begins every display of results, on terminals and pages: one row per point with its time per
 * unit, main rate, IPC, bandwidth, power and verdict. Columns without values are left out. */
#ifndef REPORT_POINT_TABLE_H
#define REPORT_POINT_TABLE_H

#include "base/arena.h"
#include "report/verdict_report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct point_row;

/* All zeros is an empty table. Owns its texts. */
struct point_table {
    struct point_row *rows;
    size_t count, capacity;
    struct arena arena;
    bool ranged; /* with columns for the minimum and maximum of the repetitions' times */
};

/* A point's verdict in words: that of its worst rate, or why there is none. */
const char *finding_word(const struct check_finding *finding);

/* Adds a row. */
void point_table_add(struct point_table *table, const struct check_finding *finding);

enum { POINT_COLUMNS = 13, POINT_TITLE_BYTES = 64 };

struct point_column {
    char title[POINT_TITLE_BYTES]; /* with the unit */
    bool is_number;
    /* For point_table_cell only: */
    int what;
    double scale; /* of times; 0: ticks */
    bool passes;  /* times of passes, not of units */
    bool named;   /* cells begin with the metric, as rows have different ones */
};

/* Sets the columns that have values, the first "point", the last "verdict"; returns their number. */
size_t point_table_columns(const struct point_table *table, struct point_column columns[POINT_COLUMNS]);

/* Writes the row's text in the column; "" if it has none. */
void point_table_cell(const struct point_table *table, const struct point_column *column, size_t row,
                      char *text, size_t capacity);

/* Adds the reasons of all marked numbers ("3.14 ?") to the table that shows them. */
void point_table_marks(const struct point_table *table, struct table *shown);

/* The worst verdict of the row's rates. */
enum verdict point_table_verdict(const struct point_table *table, size_t row);

/* Puts the rows into the order of the recipes' points. */
void point_table_sort(struct point_table *table);

/* Prints it for a terminal. */
void point_table_print(const struct point_table *table, FILE *to);

void point_table_free(struct point_table *table);

#endif
