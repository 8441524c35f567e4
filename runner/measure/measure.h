/* Measures one program by its protocol: repetitions, each stored raw with its sensor data. */
#ifndef RUNNER_MEASURE_MEASURE_H
#define RUNNER_MEASURE_MEASURE_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/measure/protocol.h"
#include "runner/measure/repetition.h"
#include "runner/power/recorder.h"

#include <jansson.h>

struct measure_options {
    struct protocol protocol;
    struct recorder *recorder;
    struct companion *co_runners;
    size_t co_runners_count;
};

/* Runs the repetitions and sets point["reps"] and ["time"]; with power sensors ["power"]
 * (runner/power/summary.h) and ["start"], a run of no passes, stored raw like the repetitions; ["measure"],
 * the actual procedure where it differs from the protocol; ["warnings"], [{"what", "mend"}] for
 * irregularities; long idle intervals as ["idle_before"] and ["idle_after"] (runner/measure/idle_interval.h).
 * If the test program has a place, ["threads"] and ["together"] too (runner/measure/copies.h); without copies
 * nothing runs for the time of each repetition, and there is no ["time"]. STATUS_FAILED when the program
 * fails, STATUS_UNAVAILABLE when the place is not here; point is then unchanged. The recording stays in the
 * recorder until the next point. */
enum status measure_point(const struct test_program *test_program, const struct measure_options *options,
                          json_t *point, struct error *error);

#endif
