/* Enumerates every number in a point's line of results: rates with their evidence, time, and power, of the
 * whole point and of its parts. */
#ifndef SESSION_POINT_VALUES_H
#define SESSION_POINT_VALUES_H

#include "runner/results/result_point.h"

#include <stdbool.h>

enum value_class { VALUE_RATE, VALUE_TIME, VALUE_POWER, VALUE_CLASSES };

/* Texts point into the point or live until the visitor returns; "" if there is none. */
struct point_value {
    enum value_class class;
    const char *metric;
    const char *unit;               /* "" for shares and rates */
    const char *part;               /* "": the whole point; "copy 2", or a sensor's channel */
    const struct result_rate *rate; /* of the point, with target and bounds; NULL: another value */
    const char *verdict, *reason;
    const char *source; /* of the best evidence, and its kind: */
    enum evidence_kind kind;
    bool seen;                  /* the rest is valid; else nothing observed the metric */
    double value, low, high, n; /* low and high are NAN: there is no interval */
    const char *doubt;          /* why the number is marked; "": it is not */
};

typedef void point_value_visitor(const struct point_value *value, void *context);

/* Visits all of them, in the order of the line. A metric that several sources observed comes once, with its
 * best evidence (metric_value_of); with every, once for each observation, including predicted ones. */
void point_values(const struct result_point *point, bool every, point_value_visitor *visit, void *context);

/* The unit of a value of that name; "share" for shares, "" for what is no known value. */
const char *point_value_unit(const char *metric);

/* True for the unit of shares, and for none. */
bool point_value_is_share(const char *unit);

/* Why the point has no values: its "error", and in *word what to call it. NULL for one that ran. */
const char *point_failure(const struct result_point *point, const char **word);

#endif
