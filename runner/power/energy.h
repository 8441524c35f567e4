/* From joules to watts: the loop's own power, and its parts (DESIGN.md section 8). Arithmetic alone. */
#ifndef RUNNER_POWER_ENERGY_H
#define RUNNER_POWER_ENERGY_H

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* What passed while a program ran, or while nothing did. */
struct energy_span {
    double seconds;
    double joules; /* NAN where the sensor did not tell */
};

/* Watts while the loop ran: what a repetition took beyond `start`, a run of the same program with no passes,
 * which is its start, set-up and warm-up. NAN when the repetition was not the longer one. */
double energy_loop_watts(struct energy_span repetition, struct energy_span start);

struct power_parts {
    struct interval static_w;  /* the idle level: no interval */
    struct interval dynamic_w; /* the rest */
};

/* The parts of the power of `count` repetitions. False, with nothing set, when there is none or one of the
 * numbers is not known. */
bool energy_parts(const double *watts, size_t count, double idle_w, struct power_parts *parts);

#endif
