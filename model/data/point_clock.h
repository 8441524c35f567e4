/* The clock at which a point ran, and the one that its recipe requested. */
#ifndef MODEL_DATA_POINT_CLOCK_H
#define MODEL_DATA_POINT_CLOCK_H

#include "model/data/dataset.h"

/* Clocks that differ by more than this share count as different: a point's power depends on its clock. */
#define CLOCK_APART 0.02

/* GHz observed while the point ran; without an observation, from the row's counted cycles. NAN: unknown. */
double clock_observed(const struct dataset_row *row);

/* GHz from the recipe's state, else from a parameter ghz, frequency (GHz) or mhz. NAN: none requested. */
double clock_requested(const struct dataset_row *row);

/* Whether a clock was requested but not met. */
bool clock_missed(const struct dataset_row *row);

/* Whether the core's clock moved by more than CLOCK_MOVED while the point ran (turbo that ends): then its
 * energy belongs to no single clock. */
#define CLOCK_MOVED 0.05
bool clock_moved(const struct result_point *point);

/* How a repetition's time per pass compares with those of its point's other repetitions. */
enum clock_pace {
    PACE_STEADY,
    PACE_OTHER, /* most other repetitions ran at another clock: throttling, or turbo that ended */
    PACE_MOVING /* no clock has a majority: the times drift from one value to another, or split evenly */
};

/* Compares the repetitions that are not outliers; PACE_STEADY if there are fewer than three. *ratio: the time
 * per pass over that of the majority (PACE_OTHER), or the longest over the shortest (PACE_MOVING). */
enum clock_pace clock_pace(const struct result_point *point, const struct result_rep *rep, double *ratio);

#endif
