/* Metrics in figures: their axis labels, and the value of a point with the best evidence. */
#ifndef REPORT_FIGURE_METRIC_H
#define REPORT_FIGURE_METRIC_H

#include "base/arena.h"

#include <jansson.h>
#include <stdbool.h>

/* True when the metric has its own label. */
bool metric_is_named(const char *metric);

/* The axis label with the unit: "Dynamic power (W)"; without its own label, the metric's name. In the
 * arena. */
const char *metric_axis_label(struct arena *arena, const char *metric);

/* The label beside others, a JSON array of names: if all belong to one family, only the part that
 * distinguishes it. */
const char *metric_own_name(struct arena *arena, const char *metric, const json_t *metrics);

/* The factor from the results' unit to the axis label's: 1e-9 where B/s are shown as GB/s. */
double metric_scale(const char *metric);

/* The label of an axis shared by several metrics, a JSON array of names: what they have in common, else their
 * names. In the arena. */
const char *metrics_axis_label(struct arena *arena, const json_t *metrics);

/* The short name for running text: "IPC", "Dynamic power". In the arena. */
const char *metric_short_name(struct arena *arena, const char *metric);

struct metric_value {
    double value, low, high; /* low = high = value if the source is exact */
    const char *kind;        /* "measured"; points into the point */
    const char *source;      /* "cachegrind"; NULL for power; points into the point */
    bool doubtful;           /* of power: its verdict is "untrustworthy" */
};

/* The point's best observation of the metric: measured before simulated or inspected before inferred, never
 * predicted; else its power. False when the point has neither. */
bool metric_value_of(const json_t *point, const char *metric, struct metric_value *seen);

#endif
