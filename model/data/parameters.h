/* Compares and prints the parameters of points: the values of their recipe's sweep. */
#ifndef MODEL_DATA_PARAMETERS_H
#define MODEL_DATA_PARAMETERS_H

#include "base/buffer.h"
#include "runner/results/result_point.h"

#include <stdbool.h>
#include <stddef.h>

enum { PARAMETER_BYTES = 64 };

/* Whether comparisons and keys ignore the parameter of that name. */
typedef bool parameter_skips(const char *name, const void *context);

/* The first parameter that differs between the points; NULL: none. Numbers are compared by value. either: a
 * parameter that only one of the points has also differs. */
const char *parameter_other(const struct result_point *a, const struct result_point *b,
                            parameter_skips *skips, const void *context, bool either);

/* The parameter's value as text, cut after 60 bytes; "not stated" where the point lacks it. */
void parameter_print(const struct result_point *point, const char *name, char text[PARAMETER_BYTES]);

/* Appends "|NAME=VALUE" for each parameter that is not ignored. */
void parameter_key(const struct result_point *point, parameter_skips *skips, const void *context,
                   struct buffer *key);

#endif
