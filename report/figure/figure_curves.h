/* Curves beside observations: a model's, and fits. */
#ifndef REPORT_FIGURE_FIGURE_CURVES_H
#define REPORT_FIGURE_FIGURE_CURVES_H

#include "report/figure/figure_request.h"
#include "report/figure/figure_rows.h"

/* Adds a model's curve to the panel, which has room for one more line. rows: those of the panel's metric. */
void figure_add_reference(const struct figure_request *request, const char *metric,
                          const struct figure_rows *rows, struct figure_panel *panel);

/* Adds the fits that the plot's `fit` requests to each line of observations; the panel has room for twice its
 * lines. */
void figure_add_fits(const struct figure_request *request, struct figure_panel *panel);

#endif
