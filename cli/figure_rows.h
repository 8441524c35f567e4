/* The table under a panel: the points that have the plot's x and the panel's metric, one row each, sorted
 * into lines. */
#ifndef CLI_FIGURE_ROWS_H
#define CLI_FIGURE_ROWS_H

#include "base/arena.h"
#include "cli/figure.h"
#include "cli/figure_metric.h"

#include <jansson.h>
#include <stddef.h>

struct figure_row {
    struct figure_sample sample;
    struct metric_value seen;
    const json_t *parameters; /* the point's sweep values */
    const char *target;
    const char *label; /* of the line that the row belongs to */
    double order;      /* the value of `by`, where it is a number: lines are sorted by it */
    size_t line;       /* the first row in the file with the same label */
    size_t place;      /* in the file */
};

struct figure_rows {
    struct figure_row *rows;
    size_t count;
    const char **categories; /* as in struct figure_panel */
    size_t category_count;
    size_t found;  /* points of the benchmark */
    size_t with_x; /* of these, the points that have the query's x and did not fail */
    size_t failed; /* of these, the points that ended in an error; never among the rows */
};

/* What a panel shows. */
struct figure_query {
    const char *recipe; /* NULL: any */
    const char *benchmark;
    const char *metric;
    const char *x;
    const char *by; /* NULL: one line */
};

/* The rows that the query selects from the points, sorted by line and x; of several with the same line and x
 * the last is kept. All in the arena, but for the points, which must outlive it. */
struct figure_rows figure_rows_select(struct arena *arena, const json_t *points,
                                      const struct figure_query *query);

#endif
