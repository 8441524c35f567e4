/* Figures of samples (traces, idle intervals): a panel for each point. */
#ifndef REPORT_FIGURE_FIGURE_SAMPLES_H
#define REPORT_FIGURE_FIGURE_SAMPLES_H

#include "report/figure/figure_request.h"

/* Adds the panels; warns about what cannot be drawn. */
void figure_add_samples(const struct figure_request *request);

#endif
