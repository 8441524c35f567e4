/* One plot of a recipe while it is turned from results into panels. */
#ifndef REPORT_FIGURE_FIGURE_REQUEST_H
#define REPORT_FIGURE_FIGURE_REQUEST_H

#include "report/figure/figure.h"
#include "report/figure/figure_read.h"

#include <stdbool.h>
#include <stddef.h>

/* The input of figures. */
struct figure_results {
    const struct results_context *context;
    const struct figure_points *points;
    const char *folder; /* folder of the results file, base of trace paths; NULL: the current one */
};

struct figure_request {
    struct figure *figure;
    const struct figure_results *results;
    const struct figure_point *const *points; /* of the benchmark */
    size_t point_count;
    const struct benchmark *benchmark;
    const struct benchmark_plot *plot;
    const char *name;  /* of the benchmark */
    const char *title; /* of the plot; shown by the first panel drawn */
};

/* The machine's name in the context, or NULL. */
const char *figure_machine(const struct figure_request *request);

/* The text `own` or, if it is NULL, `otherwise`. In the arena. */
const char *figure_words(const struct figure_request *request, const char *own, const char *otherwise);

/* Figures of points (a panel with a line for each value of the plot's `by`) and of samples (traces, idle
 * intervals; a panel for each point): each adds the panels and warns about what cannot be drawn. */
void figure_add_points(const struct figure_request *request);
void figure_add_samples(const struct figure_request *request);

#endif
