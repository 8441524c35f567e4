/* One repetition of a measurement: all copies of the program, and what runs beside them, once. */
#ifndef RUNNER_RESULTS_REPETITION_H
#define RUNNER_RESULTS_REPETITION_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/power/energy.h"

#include <jansson.h>
#include <stdint.h>

/* A program that runs beside the test program, a kernel of another core. */
struct companion {
    struct test_program test_program;
    double pass_s; /* of it alone; repetition_pace sets it */
};

/* What runs. */
struct cast {
    const struct test_program *test_program;
    struct companion *co_runners; /* all of them run while the test program does, for about as long */
    size_t co_runners_count;
    double timeout_s;
};

/* Raw. */
struct repetition {
    uint64_t iterations;
    uint64_t ticks; /* the copies' mean */
    double wall_s;
    struct window run;  /* from before the start of the first process to the end of the last one */
    struct window loop; /* from the first copy's first pass to the last one's last; NAN: not told */
    json_t *co_runners; /* what ran beside it; NULL: nothing */
    json_t *threads;    /* where a place was asked for: each copy's part */
    json_t *record;     /* of a device's run: what its blocks said */
};

/* Measures how long a pass of each companion takes. */
enum status repetition_pace(const struct cast *cast, struct error *error);

/* Runs the copies for rep->iterations passes, and company for about `seconds`; where there are no copies,
 * nothing for that long. Free with repetition_free also after an error. */
enum status repetition_run(const struct cast *cast, double seconds, struct repetition *rep,
                           struct error *error);

/* {"iterations", "ticks", "wall_s", "seconds" (of the loop)} and, where they are, "threads", "company" and
 * "record". */
json_t *repetition_to_json(const struct repetition *rep);

void repetition_free(struct repetition *rep);

#endif
