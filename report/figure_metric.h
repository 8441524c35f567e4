/* Metrics as figures show them: the words for an axis, and the one value of a point that its evidence is best
 * for. */
#ifndef REPORT_FIGURE_METRIC_H
#define REPORT_FIGURE_METRIC_H

#include "base/arena.h"

#include <jansson.h>
#include <stdbool.h>

/* True when the metric has words of its own. */
bool metric_is_named(const char *metric);

/* The axis label, with the unit: "Dynamic power (W)". A metric without words of its own is shown by its name.
 * In the arena. */
const char *metric_axis_label(struct arena *arena, const char *metric);

/* The same beside the others, a JSON array of names: where all are of one family, what tells it from them. */
const char *metric_own_name(struct arena *arena, const char *metric, const json_t *metrics);

/* How many of the axis label's units one of the results' is: 1e-9 where B/s are shown as GB/s. */
double metric_scale(const char *metric);

/* The label of an axis that several metrics share, a JSON array of names: what all are of, else their names.
 * In the arena. */
const char *metrics_axis_label(struct arena *arena, const json_t *metrics);

/* The short name for running text: "IPC", "Dynamic power". In the arena. */
const char *metric_short_name(struct arena *arena, const char *metric);

struct metric_value {
    double value, low, high; /* low = high = value where the source is exact */
    const char *kind;        /* "measured"; points into the point */
    const char *source;      /* "cachegrind"; NULL for power; points into the point */
    bool doubtful;           /* of power: its verdict is "untrustworthy" */
};

/* The point's best observation of the metric: measured before simulated or inspected before inferred, and
 * what was predicted never; else its power. False when the point has none. */
bool metric_value_of(const json_t *point, const char *metric, struct metric_value *seen);

#endif
