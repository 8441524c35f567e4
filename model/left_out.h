/* What no model is fitted to, the same for all: points whose power is not to be trusted, whose rates failed,
 * that were throttled or ran off the clock that was wished, repetitions far off the others, and what is there
 * twice. */
#ifndef MODEL_LEFT_OUT_H
#define MODEL_LEFT_OUT_H

#include "model/dataset.h"

/* Moves such rows behind dataset->count, where dataset->all still has them. What is there twice goes
 * altogether. coolings: the model is of what comes after the runs, so that only a wrong clock and copies
 * matter. Adds a note for each reason to document, and says the same in document["left_out"] ({reason:
 * points}). */
void left_out_apply(struct dataset *dataset, bool coolings, json_t *document);

#endif
