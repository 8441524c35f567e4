/* The clock at which a point ran, and the one that its recipe requested. */
#ifndef MODEL_DATA_POINT_CLOCK_H
#define MODEL_DATA_POINT_CLOCK_H

#include "model/data/dataset.h"

/* Clocks that differ by more than this share count as different: a point's power depends on its clock. */
#define CLOCK_APART 0.02

/* Observed GHz while the point ran; without an observation, from the row's counted cycles. NAN: unknown. */
double clock_seen(const struct dataset_row *row);

/* GHz from the recipe's state, else from a parameter ghz, frequency (GHz) or mhz. NAN: none requested. */
double clock_requested(const struct dataset_row *row);

/* Whether a clock was requested but not met. */
bool clock_missed(const struct dataset_row *row);

#endif
