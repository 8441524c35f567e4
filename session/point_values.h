/* Enumerates the numbers of a point in results: rates with their evidence, time and power, for the whole
 * point and for its parts. */
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
    const struct result_rate *rate; /* the point's, with target and bounds; NULL: another value */
    const char *verdict, *reason;
    const char *source;         /* of the best evidence */
    enum evidence_kind kind;    /* of the best evidence */
    bool seen;                  /* the metric was observed, and the members below are valid */
    double value, low, high, n; /* low and high NAN: there is no interval */
    const char *doubt;          /* why the number is marked as doubtful; "": it is not */
};

typedef void point_value_visitor(const struct point_value *value, void *context);

/* Visits all numbers in their order in the results. A metric that several sources observed is visited once,
 * with its best evidence (metric_value_of), or, with `every`, once for each observation, including
 * predictions. */
void point_values(const struct result_point *point, bool every, point_value_visitor *visit, void *context);

/* The unit of a value by its name; "share" for shares, "" for unknown names. */
const char *point_value_unit(const char *metric);

/* True for "share" and for "". */
bool point_value_is_share(const char *unit);

/* The error of a point that has no values, and in *word its kind; NULL for a point that ran. */
const char *point_failure(const struct result_point *point, const char **word);

#endif
