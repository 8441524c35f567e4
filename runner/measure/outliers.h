/* Flags repetitions that are outliers; never removes them (DESIGN.md section 7). */
#ifndef RUNNER_MEASURE_OUTLIERS_H
#define RUNNER_MEASURE_OUTLIERS_H

#include <jansson.h>

/* Sets "outlier": true on each of a point's repetitions ({"iterations", "ticks", "seconds", "energy_j":
 * {channel: J}}) whose ticks per pass, or power in one channel, are far from the others' (stats_outliers),
 * and adds a warning ({"what", "mend"}) with their number and distance. */
void outliers_flag(json_t *reps, json_t *warnings);

#endif
