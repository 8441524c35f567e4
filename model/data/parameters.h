/* The parameters of a point, which the sweep of its recipe names: compared, and as text. */
#ifndef MODEL_DATA_PARAMETERS_H
#define MODEL_DATA_PARAMETERS_H

#include "base/buffer.h"
#include "runner/results/result_point.h"

#include <stdbool.h>
#include <stddef.h>

enum { PARAMETER_BYTES = 64 };

/* Whether a parameter of that name does not count. */
typedef bool parameter_skips(const char *name, const void *context);

/* The first parameter that differs between the points; NULL: none. Numbers of one value are the same. either:
 * also one that only one of them has. */
const char *parameter_other(const struct result_point *a, const struct result_point *b,
                            parameter_skips *skips, const void *context, bool either);

/* The value as text, at most 60 bytes of it; "not stated". */
void parameter_print(const struct result_point *point, const char *name, char text[PARAMETER_BYTES]);

/* Appends "|NAME=VALUE" for each parameter that counts. */
void parameter_key(const struct result_point *point, parameter_skips *skips, const void *context,
                   struct buffer *key);

#endif
