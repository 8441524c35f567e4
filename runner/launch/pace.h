/* How fast a program runs, to choose how many passes take a wanted time. */
#ifndef RUNNER_LAUNCH_PACE_H
#define RUNNER_LAUNCH_PACE_H

#include "base/error.h"
#include "runner/launch/test_program.h"

#include <stdint.h>

struct pace {
    double pass_s;      /* seconds of a pass of the loop, start and set-up left out */
    double ticks_per_s; /* of the program's own clock */
};

/* Runs the program with more and more passes, until a run takes some times as long as one of no passes. Each
 * run may take timeout_s. STATUS_FAILED when the program fails. */
enum status pace_measure(const struct test_program *test_program, double timeout_s, struct pace *pace,
                         struct error *error);

/* Passes that take about `seconds`, a multiple of 100 as every period divides that (DESIGN.md section 3): at
 * least 100, and at most 1e18 whatever the arguments. */
uint64_t pace_passes(double seconds, double pass_s);

#endif
