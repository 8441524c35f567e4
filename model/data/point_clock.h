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

/* Whether the core's clock moved by more than CLOCK_MOVED while the point ran (turbo that ends): its energy
 * is that of no clock. */
#define CLOCK_MOVED 0.05
bool clock_moved(const struct result_point *point);

/* What a repetition's time per pass shows beside those of its point's other repetitions. */
enum clock_pace {
    PACE_STEADY,
    PACE_OTHER, /* the clock of most others differs from this one's: throttled, or turbo that ended */
    PACE_MOVING /* there is no clock of most: the times go from one value to another, or half have each */
};

/* Compares the repetitions that are no outliers; steady if there are fewer than three. *ratio: of the time
 * per pass to that of most (PACE_OTHER), of the longest to the shortest (PACE_MOVING). */
enum clock_pace clock_pace(const struct result_point *point, const struct result_rep *rep, double *ratio);

#endif
