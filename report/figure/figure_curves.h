/* Additions to observations in a panel: a model's curve, fits, and the sizes of caches. */
#ifndef REPORT_FIGURE_FIGURE_CURVES_H
#define REPORT_FIGURE_FIGURE_CURVES_H

#include "report/figure/figure_request.h"
#include "report/figure/figure_rows.h"
#include "runner/results/recorded_machine.h"

/* Adds the plot's reference curve to the panel, which has room for one more line. rows: those of the panel's
 * metric. */
void figure_add_reference(const struct figure_request *request, const char *metric,
                          const struct figure_rows *rows, struct figure_panel *panel);

/* Adds the fits that the plot's `fit` requests to each line of observations; the panel has room for twice its
 * lines. */
void figure_add_fits(const struct figure_request *request, struct figure_panel *panel);

/* Adds a mark to the panel, whose lines exist already, for each cache of the machine whose size lies within
 * the range of x. For an L2 with two sides, also marks the size of one side. */
void figure_mark_caches(struct arena *arena, struct recorded_machine machine, struct figure_panel *panel);

#endif
