/* Turns a recipe's `plot` and results into panels. Each y metric of a plot is one panel, or all share one;
 * each value of the plot's `by` is one line. A sweep parameter that is neither x nor `by` splits the lines
 * further, so that no line joins points that differ in it. Figures from samples (traces, idle intervals) have
 * one panel per point. */
#ifndef REPORT_FIGURE_FIGURE_BUILD_H
#define REPORT_FIGURE_FIGURE_BUILD_H

#include "report/figure/figure.h"
#include "report/figure/figure_request.h"

/* Adds the panels of every plot of the context's benchmarks, or of the named benchmark's if it is not NULL.
 * Omits a panel without data, with a warning. figure must be all zeros. */
void figure_build(struct figure *figure, const struct figure_results *results, const char *benchmark);

#endif
