/* Measures one program by its protocol: repetitions, each stored raw with its sensor data, all in a row or
 * each in its turn among those of other programs. */
#ifndef RUNNER_MEASURE_MEASURE_H
#define RUNNER_MEASURE_MEASURE_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/measure/company.h"
#include "runner/measure/protocol.h"
#include "runner/power/recorder.h"

#include <stddef.h>

struct measure_options {
    struct protocol protocol;
    struct recorder *recorder;
    struct companion *co_runners;
    size_t co_runners_count;
};

/* A repetition whose loop takes longer or shorter than asked by more than a fifth is taken again at the pace
 * that it showed, twice at most; the point has those that missed. */

/* A point's measurement, whether its repetitions are taken in a row or one at a time. */
struct measurement;

/* Runs the repetitions and fills the point: repetitions and time; with power sensors power
 * (runner/power/summary.h) and the start, a run of no passes, raw like the repetitions; what the run chose by
 * itself; warnings of irregularities; long idle intervals (runner/measure/idle_interval.h). If the test
 * program has a place, its copies too (runner/measure/copies.h); without copies nothing runs for the time of
 * each repetition, and there is no time. STATUS_FAILED when the program fails, STATUS_UNAVAILABLE when the
 * place is not here; point is then unchanged. Its repetitions live as long as the measurement. The recording
 * stays in the recorder until the next point. Close with measurement_close even after an error. */
enum status measure_point(const struct test_program *test_program, const struct measure_options *options,
                          struct measurement **measurement, struct result_point *point, struct error *error);

/* Begins a measurement whose repetitions are taken one at a time, without idle intervals or a warm-up. How
 * many is the caller's matter; so is the recorder, which is started before the first and ended before they
 * are finished. Measures the program's pace. What the arguments point to outlives the measurement. Close with
 * measurement_close even after an error; the errors are those of measure_point. */
enum status measurement_open(const struct test_program *test_program, const struct measure_options *options,
                             struct measurement **measurement, struct error *error);

/* Takes one repetition more. */
enum status measurement_repeat(struct measurement *measurement, struct error *error);

/* Fills the point as measure_point does. */
void measurement_finish(struct measurement *measurement, struct result_point *point);

/* NULL is allowed. */
void measurement_close(struct measurement *measurement);

#endif
