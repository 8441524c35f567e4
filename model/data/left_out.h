/* Exclusions common to all models: points with untrustworthy power, failed rates, throttling, a clock other
 * than the requested one or one that moved while they ran; repetitions that are outliers, or ran at another
 * clock than most of their point's; and duplicates. */
#ifndef MODEL_DATA_LEFT_OUT_H
#define MODEL_DATA_LEFT_OUT_H

#include "model/data/dataset.h"
#include "model/data/model_result.h"

/* Moves such rows behind dataset->count, where dataset->all still includes them; removes duplicates entirely.
 * coolings: the model uses the time after the runs, so only a wrong clock and duplicates matter. Adds a note
 * for each reason to the result, and the number of points. */
void left_out_apply(struct dataset *dataset, bool coolings, struct model_result *result);

#endif
