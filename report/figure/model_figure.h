/* Draws the charts of models (model/chart.h) as figures. */
#ifndef REPORT_FIGURE_MODEL_FIGURE_H
#define REPORT_FIGURE_MODEL_FIGURE_H

#include "base/error.h"
#include "model/chart.h"

/* Checks before the work starts: STATUS_USAGE when the file is neither .svg nor .png, STATUS_UNAVAILABLE when
 * there is no gnuplot. */
enum status model_figure_check(const char *output, struct error *error);

/* Draws the charts. simulated: how their data were simulated, for the subtitle; NULL: they were measured.
 * STATUS_UNAVAILABLE when there are no charts, else as figure_draw. */
enum status model_figure_draw(const struct charts *charts, const char *simulated, const char *output,
                              struct error *error);

#endif
