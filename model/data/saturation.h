/* Detects a meter at the end of its range, which reads the same for everything that draws more. Models are
 * not fitted to such readings. */
#ifndef MODEL_DATA_SATURATION_H
#define MODEL_DATA_SATURATION_H

#include "model/data/dataset.h"
#include "model/data/model_result.h"

/* The condition of which a row is a repetition ("MB_MEM", "L2 at 8 threads"); NULL when the row is
 * irrelevant. buffer: MODEL_LABEL_BYTES in which the text may be. */
enum { MODEL_LABEL_BYTES = 96 };
typedef const char *model_label(const struct dataset_row *row, char *buffer);

/* A meter is at the end of its range if repetitions of two different labels, at least two of each, all read
 * the highest watts of the data to the fifth digit; or if three repetitions of any labels read them to the
 * last digit while the others scatter (for a meter with discrete steps: all of a point's repetitions).
 * Conditions that truly draw the same must share one label: otherwise a quiet meter that reads one condition
 * under several names would look saturated. Moves rows at that end behind dataset->count, together with rows
 * so close below it that some of their samples may be clipped: all rows of the labels that reach it or,
 * by_point, of the points. Reports the number of points in a note and as left out ("saturated"). Does nothing
 * if label is NULL. */
void saturation_leave_out(struct dataset *dataset, model_label *label, bool by_point,
                          struct model_result *result);

#endif
