/* Reads only what figures need from a results file's points: a file may have many points, each with much more
 * data. */
#ifndef REPORT_FIGURE_FIGURE_READ_H
#define REPORT_FIGURE_FIGURE_READ_H

#include "base/error.h"
#include "report/figure/figure_build.h"
#include "runner/results/results.h"

#include <jansson.h>

/* The metrics and intervals that the plots of the context's benchmarks name. New reference, for
 * figure_read_point. */
json_t *figure_names(const json_t *context);

/* A copy of the point, reduced to what plots of these names need. New reference. */
json_t *figure_read_point(const json_t *point, const json_t *names);

/* All points, reduced to what the context's plots need, for struct figure_results. New reference; NULL with
 * *error filled. */
json_t *figure_read_points(struct results_reader *results, const json_t *context, struct error *error);

#endif
