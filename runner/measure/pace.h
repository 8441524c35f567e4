/* Measures how fast a program runs, to choose the number of passes for a requested time. */
#ifndef RUNNER_MEASURE_PACE_H
#define RUNNER_MEASURE_PACE_H

#include "base/error.h"
#include "runner/launch/test_program.h"

#include <stdint.h>

/* Processor time of the children that have ended. */
double pace_children_s(void);

struct pace {
    double pass_s;      /* seconds per pass, including the preparation of lines, without the start */
    double ticks_per_s; /* of the program's own clock */
    double start_cpu_s; /* processor time of a start without passes, of all copies; not of a device's */
};

/* Runs the program with more and more passes, until its loop takes several scheduler slices by its own clock
 * or, on a device, until a run takes several times as long as one without passes. Each run may take
 * timeout_s. STATUS_FAILED when the program fails. */
enum status pace_measure(const struct test_program *test_program, double timeout_s, struct pace *pace,
                         struct error *error);

/* How many runs pace_measure makes of a processor's program whose passes take pass_s, and the passes of each,
 * counted from 0. */
unsigned pace_runs(double pass_s);
double pace_run_passes(unsigned run);

/* Passes that take about `seconds`: a multiple of 100, which every period divides (DESIGN.md section 3), at
 * least 100, and at most 1e18 for any arguments. */
uint64_t pace_passes(double seconds, double pass_s);

#endif
