/* A meter at the end of its range says the same of all that takes more: no model is fitted to that. */
#ifndef MODEL_SATURATION_H
#define MODEL_SATURATION_H

#include "model/dataset.h"

/* What a row is of, for the model that asks ("MB_MEM", "L2 at 8 threads"), or NULL when it is of no interest.
 * The text may be overwritten by the next call; buffer has SATURATION_LABEL bytes for it. */
enum { SATURATION_LABEL = 96 };
typedef const char *saturation_label(const struct dataset_row *row, char *buffer);

/* A meter is at its end where repetitions of two different labels, two of each at least, all read the highest
 * watts of the data to the fifth digit; or where three repetitions, of whatever, read them to the last digit
 * while the others scatter (of a meter that tells steps: all of a point's). What draws the same in truth must
 * have one label: a quiet meter that reads one condition under several names is not at its end.
 *
 * Moves what is at that end behind dataset->count, and what is so close below that some of its samples may be
 * cut: all rows of the labels that reach it, or, by_point, of the points. Says so in a note and in
 * document["left_out"]["saturated"] (points). label NULL: nothing is looked at. */
void saturation_leave_out(struct dataset *dataset, saturation_label *label, bool by_point, json_t *document);

#endif
