/* Points that a model treats as repetitions of one condition: they may differ only in the parameters that the
 * model names. */
#ifndef MODEL_DATA_POOLED_H
#define MODEL_DATA_POOLED_H

#include "base/error.h"
#include "model/data/dataset.h"

/* A sweep parameter that differs between the points and is not among the names (NULL-terminated). NULL: none.
 * either: also a parameter that only one of them has. */
const char *pooled_parameter(const struct result_point *a, const struct result_point *b,
                             const char *const *named, bool either);

/* STATUS_USAGE: points a and b, both of `what`, differ in the parameter. */
enum status pooled_refuse(const struct result_point *a, const struct result_point *b, const char *what,
                          const char *parameter, struct error *error);

/* STATUS_USAGE when rows a and b, both of `what`, differ in a parameter that is not named. loop: also when
 * the work of their loops differs or, unless "copies" is named, the number of copies. */
enum status pooled_check(const struct dataset_row *a, const struct dataset_row *b, const char *what,
                         const char *const *named, bool loop, struct error *error);

/* STATUS_USAGE when the rows ran at different clocks. */
enum status pooled_clock(const struct dataset_row *a, const struct dataset_row *b, struct error *error);

/* STATUS_USAGE when the power of two points comes from different meter channels. */
enum status pooled_meters(const struct dataset *dataset, struct error *error);

#endif
