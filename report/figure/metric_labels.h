/* The labels of metrics in figures: on axes, beside others, in running text. */
#ifndef REPORT_FIGURE_METRIC_LABELS_H
#define REPORT_FIGURE_METRIC_LABELS_H

#include "base/arena.h"

#include <stddef.h>

/* Names of metrics. A NULL among them is skipped. */
struct metric_names {
    const char *const *items;
    size_t count;
};

/* The axis label with the unit: "Dynamic power (W)"; without its own label, the metric's name. In the
 * arena. */
const char *metric_axis_label(struct arena *arena, const char *metric);

/* The metric's label beside the others: only the part that distinguishes it, if all belong to one family. */
const char *metric_own_name(struct arena *arena, const char *metric, struct metric_names metrics);

/* The label of an axis shared by several metrics: their common part, else their names. In the arena. */
const char *metrics_axis_label(struct arena *arena, struct metric_names metrics);

/* The short name for running text: "IPC", "Dynamic power". In the arena. */
const char *metric_short_name(struct arena *arena, const char *metric);

#endif
