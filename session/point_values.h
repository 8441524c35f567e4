/* Every number that a point's line of results tells, one after the other: rates by their evidence, time, and
 * power, of the whole point and of its parts. */
#ifndef SESSION_POINT_VALUES_H
#define SESSION_POINT_VALUES_H

#include <jansson.h>
#include <stdbool.h>

enum value_class { VALUE_RATE, VALUE_TIME, VALUE_POWER, VALUE_CLASSES };

/* Texts point into the point or live until the visitor returns; "" where there is none. */
struct point_value {
    enum value_class class;
    const char *metric;
    const char *unit;   /* "" for shares and rates */
    const char *part;   /* "": the whole point; "copy 2", or the channel of a sensor */
    const json_t *rate; /* the entry of the point's rates, with "target" and "expect"; NULL */
    const char *verdict, *reason;
    const char *source, *kind; /* of the best evidence */
    bool seen;                 /* the rest holds; else nobody saw the metric */
    double value, low, high, n;
};

typedef void point_value_visitor(const struct point_value *value, void *context);

/* Visits all of them, in the order of the line. A metric that several sources saw comes once, by its best
 * evidence (metric_value_of); with every, once for each observation, the predicted ones too. */
void point_values(const json_t *point, bool every, point_value_visitor *visit, void *context);

/* Why the point has none: the "error" it ended with, and in *word what to call it. NULL for one that ran. */
const char *point_failure(const json_t *point, const char **word);

#endif
