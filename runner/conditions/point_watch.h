/* What changed on the machine while a point was measured: the clock, other processes' load, the temperature.
 * Started before the point and ended after it. */
#ifndef RUNNER_CONDITIONS_POINT_WATCH_H
#define RUNNER_CONDITIONS_POINT_WATCH_H

#include "runner/conditions/clock_watch.h"
#include "runner/conditions/snapshot.h"
#include "runner/results/result_point.h"

#include <stdbool.h>
#include <stddef.h>

struct point_request {
    const char *root; /* "" for the machine itself */
    const struct core_clock *clock;
    const int *cpus; /* used for the measurement; the caller keeps them valid until the end */
    size_t cpu_count;
    double requested_ghz; /* NAN: no request */
    bool allowed;         /* setting the state was permitted */
};

struct point_watch {
    struct point_request request;
    struct snapshot before;
    double own_s; /* processor time of this process and its children so far */
    struct clock_watch clock;
};

void point_watch_begin(struct point_watch *watch, const struct point_request *request);

/* Sets the clocks that the point's state has, and adds to its warnings what happened besides the measurement.
 * The power of a point whose clock moved by more than 10 % is untrustworthy. */
void point_watch_end(struct point_watch *watch, struct result_point *point);

/* Adds a warning if a thermometer changed by more than 5 C from the first repetition to the last, according
 * to their "temperature_c". */
void point_judge_temperature(const struct result_rep *reps, size_t count, struct warnings *warnings);

#endif
