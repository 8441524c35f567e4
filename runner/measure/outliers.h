/* Flags repetitions that are outliers in time; never removes them (DESIGN.md section 7). */
#ifndef RUNNER_MEASURE_OUTLIERS_H
#define RUNNER_MEASURE_OUTLIERS_H

#include "runner/results/result_point.h"

#include <jansson.h>

/* Flags each of a point's repetitions whose ticks per pass are far from the others' (stats_outliers), and
 * adds a warning ({"what", "mend"}) with their number and distance. Power has its own (power/kept_reps.h). */
void outliers_flag(struct result_rep *reps, size_t count, json_t *warnings);

#endif
