/* A metric's value at a point, by the best evidence. */
#ifndef REPORT_METRIC_VALUE_H
#define REPORT_METRIC_VALUE_H

#include "runner/results/result_point.h"

#include <stdbool.h>
#include <stddef.h>

struct metric_value {
    double value, low, high; /* low = high = value if the source is exact; NAN: no interval */
    enum evidence_kind kind;
    const char *source;                  /* "cachegrind"; NULL for power; borrowed from the point */
    char doubt[OBSERVATION_DOUBT_BYTES]; /* why the number is marked with "?"; "": it is not */
};

/* Writes "14.04 [13.9, 14.1]" with that many digits; "14.04 ?" without an interval, "14.04 [13.9, 14.1] ?" if
 * it is in doubt. */
void metric_value_write(const struct metric_value *value, double scale, int digits, char *text,
                        size_t capacity);

/* Why a number is marked: its doubt, or that it has no interval (low NAN); "": it is not marked. */
const char *metric_doubt(double low, const char *doubt);

/* The doubt about power with this verdict: the reason if it is "untrustworthy", else "". */
const char *power_doubt(const char *verdict, const char *reason);

/* The point's best observation of the metric: measured before simulated or inspected before inferred, never
 * predicted; else its power. False when the point has neither. */
bool metric_value_of(const struct result_point *point, const char *metric, struct metric_value *value);

#endif
