/* The clock that a point of results ran at, and the one that its recipe wished for. */
#ifndef MODEL_CLOCK_H
#define MODEL_CLOCK_H

#include "model/dataset.h"

/* Clocks further apart than this share are two clocks: what a point draws follows its clock. */
#define CLOCK_APART 0.02

/* GHz as seen while the point ran; where nobody looked, by the cycles that were counted of the row. NAN: not
 * known. */
double clock_seen(const struct dataset_row *row);

/* GHz by the recipe's state, else by a parameter ghz, frequency (GHz) or mhz. NAN: nothing was wished. */
double clock_wished(const struct dataset_row *row);

/* Whether it was wished for and not run at. */
bool clock_missed(const struct dataset_row *row);

#endif
