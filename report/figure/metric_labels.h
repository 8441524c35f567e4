/* The labels of metrics in figures: on axes, beside others, in running text. */
#ifndef REPORT_FIGURE_METRIC_LABELS_H
#define REPORT_FIGURE_METRIC_LABELS_H

#include "base/arena.h"

#include <stddef.h>

/* Names of metrics; one that is NULL has no label. */
struct metric_names {
    const char *const *items;
    size_t count;
};

/* The axis label with the unit: "Dynamic power (W)"; without its own label, the metric's name. In the
 * arena. */
const char *metric_axis_label(struct arena *arena, const char *metric);

/* The label beside others: if all belong to one family, only the part that distinguishes it. */
const char *metric_own_name(struct arena *arena, const char *metric, struct metric_names metrics);

/* The label of an axis shared by several metrics: what they have in common, else their names. In the arena.
 */
const char *metrics_axis_label(struct arena *arena, struct metric_names metrics);

/* The short name for running text: "IPC", "Dynamic power". In the arena. */
const char *metric_short_name(struct arena *arena, const char *metric);

#endif
