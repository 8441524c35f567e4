/* One repetition of a measurement: one run of all copies of the program and of its co-runners; and
 * which of several are outliers in time (DESIGN.md section 7). */
#ifndef RUNNER_MEASURE_REPETITION_H
#define RUNNER_MEASURE_REPETITION_H

#include "base/error.h"
#include "runner/measure/company.h"
#include "runner/power/energy.h"
#include "runner/results/result_point.h"

#include <stdint.h>

/* Raw. */
struct repetition {
    uint64_t iterations;
    uint64_t ticks; /* the copies' mean */
    double wall_s;
    double cpu_s;      /* processor time of all copies and co-runners, their start included; NAN: unknown */
    double waited;     /* share of the loop in which others had its processors, by the system; NAN: unknown */
    struct window run; /* from before the start of the first process to the end of the last one */
    struct window loop; /* from the first copy's first pass to the last one's last; NAN: unknown */
    struct result_copies co_runners; /* the co-runners' results */
    struct result_copies threads;    /* each copy's part, if a place was requested */
    struct result_record *record;    /* of a device's run; NULL: none */
};

/* Measures the time per pass of each co-runner. */
enum status repetition_pace(const struct joint_run *cast, struct error *error);

/* Runs the copies for rep->iterations passes, and the co-runners from before their first to after their last;
 * those that share regions with them for about `seconds` at their last pace. Without copies, waits that long.
 * Free with repetition_free even after an error. */
enum status repetition_run(struct joint_run *cast, double seconds, struct repetition *rep,
                           struct error *error);

/* As results have it, without energies and temperatures; copies and record stay the repetition's. */
struct result_rep repetition_result(const struct repetition *rep);

void repetition_free(struct repetition *rep);

/* Flags each of a point's repetitions whose ticks per pass are far from the others' (stats_outliers), and
 * adds a warning with their number and distance. Power has its own (power/kept_reps.h). */
void outliers_flag(struct result_rep *reps, size_t count, struct warnings *warnings);

#endif
