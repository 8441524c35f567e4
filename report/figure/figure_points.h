/* Figures of points: a panel with a line for each value of the plot's `by`. */
#ifndef REPORT_FIGURE_FIGURE_POINTS_H
#define REPORT_FIGURE_FIGURE_POINTS_H

#include "report/figure/figure_request.h"

/* Adds the panels; warns about what cannot be drawn. */
void figure_add_points(const struct figure_request *request);

#endif
