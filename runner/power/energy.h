/* From watts to static and dynamic power (DESIGN.md section 8). Arithmetic alone. */
#ifndef RUNNER_POWER_ENERGY_H
#define RUNNER_POWER_ENERGY_H

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* From one moment to a later one, on the sensors' clock. */
struct window {
    double from_s, to_s;
};

double window_seconds(struct window window);

/* The window without that share of its length at each end, where what was before still shows. */
struct window window_trim(struct window window, double share);

/* The index-th of count parts of the same length. */
struct window window_part(struct window window, size_t index, size_t count);

/* What was read: of each repetition its watts and the seconds of its loop, and watts of idling. NAN where
 * nothing was read. */
struct energy_samples {
    const double *watts, *seconds;
    size_t count;
    const double *idle_w;
    size_t idle_count;
};

struct power_parts {
    struct interval total_w;   /* while the loop ran */
    struct interval static_w;  /* the idle level */
    struct interval dynamic_w; /* the rest; its interval holds both levels' uncertainty */
    struct interval dynamic_j; /* of a repetition */
};

/* False, with nothing set, when there is none of a kind or one of the numbers is not known. Without idle
 * samples only the total is told and *idle is false. */
bool energy_parts(const struct energy_samples *samples, struct power_parts *parts, bool *idle);

#endif
