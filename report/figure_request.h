/* One plot of a recipe while it is turned from results into panels. */
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
    const char *title; /* of the plot; shown by the first panel drawn */
};

/* Adds panels of points (figure_points.c) and of samples (figure_samples.c). Warns about what cannot be
 * drawn. */
void figure_add_points(const struct figure_request *request);
void figure_add_samples(const struct figure_request *request);

/* The machine's name in the context, or NULL. */
const char *figure_machine(const struct figure_request *request);

/* The plot's own text for the key, else otherwise. In the arena. */
const char *figure_words(const struct figure_request *request, const char *key, const char *otherwise);

/* Adds a model's curve to the panel, which has room for one more line. rows: those of the panel's metric. */
struct figure_rows;
void figure_add_reference(const struct figure_request *request, const char *metric,
                          const struct figure_rows *rows, struct figure_panel *panel);

/* Adds the fits that the plot's `fit` requests to each line of observations; the panel has room for twice its
 * lines. */
void figure_add_fits(const struct figure_request *request, struct figure_panel *panel);

#endif
