/* What figures need of a results file's points, and no more: a file may have many, and each far more in it.
 */
#ifndef REPORT_FIGURE_READ_H
#define REPORT_FIGURE_READ_H

#include "base/error.h"
#include "runner/results/results.h"

#include <jansson.h>

/* The members of a point that figures look at, NULL-terminated. */
extern const char *const figure_members[];

/* Which metrics and intervals the plots of the context's benchmarks name. New reference, for
 * figure_read_point. */
json_t *figure_names(const json_t *context);

/* The point with what plots of these names need of it. New reference. */
json_t *figure_read_point(const json_t *point, const json_t *names);

/* All points so, for struct figure_results. New reference; NULL with *error filled. */
json_t *figure_read_points(struct results_reader *results, struct error *error);

#endif
