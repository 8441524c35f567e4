/* The value of a point with the best evidence. */
#ifndef REPORT_METRIC_VALUE_H
#define REPORT_METRIC_VALUE_H

#include <jansson.h>
#include <stdbool.h>

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
