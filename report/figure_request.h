/* One plot of a recipe on its way from the results to panels. */
#ifndef REPORT_FIGURE_REQUEST_H
#define REPORT_FIGURE_REQUEST_H

#include "report/figure.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct figure_request {
    struct figure *figure;
    const struct figure_results *results;
    const json_t *benchmark; /* the context's row */
    const json_t *plot;
    const char *name;  /* of the benchmark */
    const char *title; /* of the plot; the first panel that is drawn shows it */
};

/* Panels of points (figure_points.c) and of samples (figure_samples.c). What cannot be drawn is warned of. */
void figure_add_points(const struct figure_request *request);
void figure_add_samples(const struct figure_request *request);

/* The context's name of the machine, or NULL. */
const char *figure_machine(const struct figure_request *request);

/* The plot's own words where it has some, else the others. In the arena. */
const char *figure_words(const struct figure_request *request, const char *key, const char *otherwise);

/* Adds a model's curve to the panel, which has room for one more line. rows: of the panel's metric. */
struct figure_rows;
void figure_add_reference(const struct figure_request *request, const char *metric,
                          const struct figure_rows *rows, struct figure_panel *panel);

/* Adds what the plot's `fit` asks for to each line of observations; the panel has room for twice its lines.
 */
void figure_add_fits(const struct figure_request *request, struct figure_panel *panel);

#endif
