/* The data of a panel: one row for each point that has the plot's x and the panel's metric, sorted into
 * lines. */
#ifndef REPORT_FIGURE_FIGURE_ROWS_H
#define REPORT_FIGURE_FIGURE_ROWS_H

#include "base/arena.h"
#include "report/figure/figure.h"
#include "report/figure/figure_read.h"

#include <stddef.h>

struct figure_row {
    struct figure_sample sample;
    const struct figure_value *observed;
    const struct value *parameters; /* the point's sweep values */
    const char *target;
    const char *label; /* of the row's line */
    double order;      /* position of its `by` value; lines are sorted by it */
    size_t line;       /* number of the label, in the order of the file */
    size_t place;      /* index in the file */
};

struct figure_rows {
    struct figure_row *rows;
    size_t count;
    const char **categories; /* as in struct figure_panel */
    size_t category_count;
    size_t found;  /* points of the benchmark that the query selects */
    size_t with_x; /* those of them that have the query's x and did not fail */
    size_t failed; /* those of them that ended in an error; they have no rows */
    size_t alone;  /* points that are left out because the point they are relative to has no value above 0 */
};

/* The data that a panel requests. */
struct figure_query {
    const char *recipe; /* NULL: any */
    const char *benchmark;
    const char *metric;
    const char *x;                     /* a sweep parameter, or a metric */
    const char *by;                    /* NULL: one line */
    const struct benchmark_plot *plot; /* its only, relative, order, paired and sizes */
    bool categories;                   /* treat numbers on x as words too */
};

/* The rows that the query selects from the points, sorted by line and x; of several with the same line and x,
 * the last is kept. All in the arena, except the points, which must outlive it. */
struct figure_rows figure_rows_select(struct arena *arena, const struct figure_point *const *points,
                                      size_t count, const struct figure_query *query);

/* Whether the point belongs to the query's benchmark and has the values of `only`. */
bool figure_rows_selects(const struct figure_point *point, const struct figure_query *query);

/* Appends a parameter's value in the form of figures. sizes: the names of parameters whose values are bytes.
 */
void figure_write_value(struct buffer *text, const char *name, const struct value *value,
                        const struct benchmark_words *sizes);

/* The value's place in the plot's order of the parameter; without an order, its number, or 0. */
double figure_order_of(const struct benchmark_plot *plot, const char *name, const struct value *value);

#endif
