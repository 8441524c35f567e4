/* A meter at the end of its range says the same of all that takes more: nothing can be fitted to that. */
#ifndef MODEL_SATURATION_H
#define MODEL_SATURATION_H

#include "base/error.h"
#include "model/dataset.h"

/* What a row is of, for the model that asks ("MB_MEM", "L2 at 8 threads"), or NULL when it is of no interest.
 * The text may be overwritten by the next call; buffer has SATURATION_LABEL bytes for it. */
enum { SATURATION_LABEL = 96 };
typedef const char *saturation_label(const struct dataset_row *row, char *buffer);

/* STATUS_USAGE when repetitions of two different labels, two of each at least, all read the highest watts of
 * the data to the fifth digit; when three repetitions, of whatever, read them to the last digit while the
 * others scatter. What draws the same in truth must have one label: a quiet meter that reads one condition
 * under several names is not at its end. */
enum status saturation_check(const struct dataset *dataset, saturation_label *label, struct error *error);

#endif
