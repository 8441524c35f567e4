/* A simulator on trial: what a suite's programs promise against what the simulator reports of them, rate by
 * rate, and, where it is wrong, which known fault explains all of its reports (DESIGN.md section 17). */
#ifndef SESSION_SIMULATOR_TRIAL_H
#define SESSION_SIMULATOR_TRIAL_H

#include "runner/simulators/simulator.h"
#include "session/target_request.h"
#include "session/work.h"

#include <stdbool.h>
#include <stddef.h>

struct simulator_request {
    const char *simulator; /* its name in the table */
    const char *stats;     /* a file; with {} in its name, one for each program: {} is BENCHMARK/POINT */
    const char *columns;   /* of a table; NULL: none */
};

/* One rate of one program. */
struct simulator_row {
    char *program;
    enum simulated_rate rate;
    double promised, reported, tolerance;
    bool wrong;
    bool explained; /* by the trial's fault */
};

/* All zeros is empty. */
struct simulator_trial {
    struct simulator_row *rows;
    size_t count, wrong, programs;
    const char
        *faults[4];   /* that explain most rates, equally many, and more than none does; NULL ends them */
    bool nearly;      /* they explain no more rates than none does, but most of the way to those reported */
    size_t explained; /* of the rates that they concern */
    size_t tried;     /* how many those are */
};

/* Opens the suite and judges. STATUS_MISSED when a rate is wrong, STATUS_UNAVAILABLE when nothing was told.
 * Free with simulator_trial_free in every case. */
enum status simulator_trial_judge(const struct simulator_request *request, const struct selection *selection,
                                  const struct target_request *target, struct simulator_trial *trial,
                                  struct error *error);

void simulator_trial_free(struct simulator_trial *trial);

#endif
