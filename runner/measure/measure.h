/* Measures one program by its protocol: repetitions, each stored raw with its sensor data, all in a row or
 * each in its turn among those of other programs. */
#ifndef RUNNER_MEASURE_MEASURE_H
#define RUNNER_MEASURE_MEASURE_H

#include "base/error.h"
#include "generator/suite/manifest_read.h"
#include "runner/launch/test_program.h"
#include "runner/measure/company.h"
#include "runner/measure/protocol.h"
#include "runner/power/energy.h"
#include "runner/power/recorder.h"
#include "runner/results/result_point.h"

#include <stddef.h>
#include <stdint.h>

struct measure_options {
    struct protocol protocol;
    struct recorder *recorder;
    struct companion *co_runners;
    size_t co_runners_count;
};

/* A point's measurement, whether its repetitions are taken in a row or one at a time. A repetition whose loop
 * takes longer or shorter than requested by more than a fifth is taken again, at the pace that it showed, at
 * most twice; the point also lists those that missed their time. */
struct measurement;

/* Runs the repetitions and fills the point:
 * - its repetitions, which live as long as the measurement, and its time;
 * - with power sensors, power (runner/power/summary.h) and the start, a run of no passes, raw like the
 *   repetitions;
 * - the settings that the run chose by itself, warnings of irregularities, and long idle intervals
 *   (runner/measure/idle_interval.h);
 * - its copies (runner/measure/copies.h) if the test program has a place. Without copies nothing runs for the
 *   time of each repetition, and there is no time.
 * STATUS_FAILED when the program fails, STATUS_UNAVAILABLE when the place is not here; point is then
 * unchanged. The recording stays in the recorder until the next point. Close with measurement_close even
 * after an error. */
enum status measure_point(const struct test_program *test_program, const struct measure_options *options,
                          struct measurement **measurement, struct result_point *point, struct error *error);

/* Begins a measurement whose repetitions are taken one at a time, without idle intervals or a warm-up, and
 * measures the program's pace. The caller chooses the number of repetitions, begins the recorder's recording
 * before the first and ends it before measurement_finish. The arguments' targets must outlive the
 * measurement. Close with measurement_close even after an error; the errors are those of measure_point. */
enum status measurement_open(const struct test_program *test_program, const struct measure_options *options,
                             struct measurement **measurement, struct error *error);

/* Takes one more repetition. */
enum status measurement_repeat(struct measurement *measurement, struct error *error);

/* Fills the point as measure_point does. */
void measurement_finish(struct measurement *measurement, struct result_point *point);

/* NULL is allowed. */
void measurement_close(struct measurement *measurement);

/* Adds, with the source "record":
 * - bandwidth.LEVEL, in bytes per second, "inferred", if the plan assigns all loads and stores to that level:
 *   their bytes, in whole sectors, over the seconds from the first block's begin to the last one's end;
 * - ticks_per_load and loads_per_tick, "measured", of the loads of all threads together;
 * - pass.ns and, where ticks are cycles, pass.cycles, "measured";
 * - of a chase by one thread, latency.LEVEL_ns and latency.LEVEL, "inferred" as the plan assigns its loads to
 *   the level.
 * sector: bytes per transfer of the manifest. Adds nothing for a processor's program, or if the device has no
 * timer. */
void throughput_observe(const struct result_point *point, const struct manifest *manifest, unsigned sector,
                        struct observations *list);

/* ---- one repetition ---- */

/* One run of all copies of the program and of its co-runners (DESIGN.md section 7), raw. */
struct repetition {
    uint64_t iterations;
    uint64_t ticks; /* the copies' mean */
    double wall_s;
    double cpu_s;       /* processor time of all copies and co-runners, with their start; NAN: unknown */
    double waited;      /* share of the loop in which others used its processors, as the system reports; NAN:
                           unknown */
    struct window run;  /* from before the start of the first process to the end of the last one */
    struct window loop; /* from the first pass of the first copy to the end of the last pass; NAN: unknown */
    struct result_copies co_runners;
    struct result_copies threads; /* each copy's part, if a place was requested */
    struct result_record *record; /* of a device's run; NULL: none */
};

/* Measures the time per pass of each co-runner. */
enum status repetition_pace(const struct joint_run *cast, struct error *error);

/* Runs the copies for rep->iterations passes, and the co-runners from before the copies' first pass to after
 * their last; co-runners that share regions with the copies run for about `seconds` at their last pace.
 * Without copies, waits for `seconds`. Free with repetition_free even after an error. */
enum status repetition_run(struct joint_run *cast, double seconds, struct repetition *rep,
                           struct error *error);

/* The repetition's result, without energies and temperatures; its copies and record belong to the repetition.
 */
struct result_rep repetition_result(const struct repetition *rep);

void repetition_free(struct repetition *rep);

/* Flags each of a point's repetitions whose ticks per pass are far from the others' (stats_outliers), and
 * adds a warning with their number and distance. Outliers in power are those of power/summary.h. */
void outliers_flag(struct result_rep *reps, size_t count, struct warnings *warnings);

/* ---- energy per access ---- */

/* Adds "energy.per_access_j.LEVEL" (DESIGN.md section 5) to the power's values: its "energy.dynamic_j" over
 * the accesses, if the manifest expects the level to serve at least 99 % of the loads and there are no
 * stores. The energy includes the loop's other work, which the models separate (DESIGN.md section 10).
 * passes: of one repetition, over all its copies. */
void per_access_set(const struct manifest *manifest, double passes, struct result_power *power,
                    struct arena *arena);

#endif
