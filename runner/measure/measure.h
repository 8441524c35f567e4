/* Measures one program by its protocol: repetitions, each stored raw with its sensor data, all in a row or
 * each in its turn among those of other programs. */
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

/* A repetition whose loop takes longer or shorter than asked by more than a fifth is taken again at the pace
 * that it showed, twice at most; point["retaken"] has those that missed. */

/* A point's measurement, whether its repetitions are taken in a row or one at a time. */
struct measurement;

/* Runs the repetitions and sets point["reps"] and ["time"]; with power sensors ["power"]
 * (runner/power/summary.h) and ["start"], a run of no passes, stored raw like the repetitions; ["measure"],
 * the actual procedure where it differs from the protocol; ["warnings"], [{"what", "mend"}] for
 * irregularities; long idle intervals as ["idle_before"] and ["idle_after"] (runner/measure/idle_interval.h).
 * If the test program has a place, ["threads"] and ["together"] too (runner/measure/copies.h); without copies
 * nothing runs for the time of each repetition, and there is no ["time"]. STATUS_FAILED when the program
 * fails, STATUS_UNAVAILABLE when the place is not here; point is then unchanged. The recording stays in the
 * recorder until the next point. Close with measurement_close even after an error. */
enum status measure_point(const struct test_program *test_program, const struct measure_options *options,
                          struct measurement **measurement, json_t *point, struct error *error);

/* Begins a measurement whose repetitions are taken one at a time, without idle intervals or a warm-up. How
 * many is the caller's matter; so is the recorder, which is started before the first and ended before they
 * are finished. Measures the program's pace. What the arguments point to outlives the measurement. Close with
 * measurement_close even after an error; the errors are those of measure_point. */
enum status measurement_open(const struct test_program *test_program, const struct measure_options *options,
                             struct measurement **measurement, struct error *error);

/* Takes one repetition more. */
enum status measurement_repeat(struct measurement *measurement, struct error *error);

/* Sets in point what measure_point does. */
void measurement_finish(struct measurement *measurement, json_t *point);

/* What was measured, as verdicts read it: repetitions, times and overlap; nothing else is set. It lives as
 * long as the measurement. NULL of one that is not finished, and of NULL. */
const struct result_point *measurement_result(const struct measurement *measurement);

/* NULL is allowed. */
void measurement_close(struct measurement *measurement);

#endif
