/* Points that a model takes for repetitions of one thing: they must differ in nothing but what it names. */
#ifndef MODEL_POOLED_H
#define MODEL_POOLED_H

#include "base/error.h"
#include "model/dataset.h"

/* A parameter of the sweep that is another at both points, and not among the names (NULL-terminated). NULL:
 * none. either: also one that only one of them has. */
const char *pooled_parameter(const json_t *a, const json_t *b, const char *const *named, bool either);

/* STATUS_USAGE: points a and b, both of what, differ in the parameter. */
enum status pooled_refuse(const json_t *a, const json_t *b, const char *what, const char *parameter,
                          struct error *error);

/* STATUS_USAGE when rows a and b, both of what, differ in a parameter that is not named, or, with loop, in
 * what their loops do or in how many copies ran. */
enum status pooled_check(const struct dataset_row *a, const struct dataset_row *b, const char *what,
                         const char *const *named, bool loop, struct error *error);

/* STATUS_USAGE when the rows ran at clocks that are apart. */
enum status pooled_clock(const struct dataset_row *a, const struct dataset_row *b, struct error *error);

/* STATUS_USAGE when the power of two points is of other channels of meters. */
enum status pooled_meters(const struct dataset *dataset, struct error *error);

#endif
