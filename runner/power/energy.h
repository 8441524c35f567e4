/* Computes static and dynamic power from watts (DESIGN.md section 8). Pure arithmetic. */
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

/* The window without that share of its length at each end, where readings still show the neighbouring phase.
 */
struct window window_trim(struct window window, double share);

/* The index-th of count parts of equal length. */
struct window window_part(struct window window, size_t index, size_t count);

/* The readings: each repetition's watts and loop seconds, and idle watts. NAN if nothing was read. */
struct energy_samples {
    const double *watts, *seconds;
    size_t count;
    const double *idle_w; /* those before the run first */
    size_t idle_count;
    size_t idle_before;   /* number of those before the run */
    double level_error_w; /* error that all samples of a level share, for instance by a meter's steps */
};

/* The difference of two separately measured levels. */
struct interval energy_difference(struct interval more, struct interval less);

struct power_parts {
    struct interval total_w;   /* while the loop ran */
    struct interval static_w;  /* the idle level */
    struct interval dynamic_w; /* the rest, with the uncertainty of both levels */
    struct interval dynamic_j; /* of a repetition */
};

/* False, with nothing set, when readings are missing or one is unknown. Without idle samples it computes only
 * the total, and *idle is false. The idle level's interval contains the levels before and after the run. The
 * intervals of dynamic power and energy are at least 0.5 % wide to each side, for errors that all repetitions
 * share. */
bool energy_parts(const struct energy_samples *samples, struct power_parts *parts, bool *idle);

/* The times of a point's phases. The recording has ended. */
struct phase_windows {
    const struct window *loops; /* of each repetition; NAN: unknown */
    const struct window *runs;  /* of each repetition's processes, from start to end */
    size_t count;
    const struct window *start; /* of a run of no passes, subtracted from each run; NULL: loops count */
    struct window idle[2];
    size_t idle_count;
    const struct window *others; /* loops that are not evaluated: of the warm-up, of retaken repetitions */
    size_t other_count;
    const double *pass_s;    /* of each repetition, seconds per pass; NULL: unknown */
    double most_w;           /* the most that the programs can draw; 0: unknown */
    bool idles;              /* no program ran */
    const char *device;      /* PCI address of the GPU that ran the programs; NULL: processors did */
    double published_idle_w; /* of the processor alone, from its machine file; 0: unknown */
};

#endif
