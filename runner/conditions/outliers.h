/* Repetitions that went otherwise than the rest are flagged, and never left out (DESIGN.md section 7). */
#ifndef RUNNER_CONDITIONS_OUTLIERS_H
#define RUNNER_CONDITIONS_OUTLIERS_H

#include <jansson.h>

/* Sets "outlier": true on each of a point's repetitions ({"iterations", "ticks", "seconds", "energy_j":
 * {channel: J}}) whose ticks a pass, or the power of one of whose channels, are far from the others'
 * (stats_outliers), and adds a warning ({"what", "mend"}) that says how many and how far. */
void outliers_flag(json_t *reps, json_t *warnings);

#endif
