/* Copies of programs run together: each a process of its own with data of its own, pinned to its own logical
 * processor. All are set up and warmed up before the first one's passes begin, and then begin at once. */
#ifndef RUNNER_LAUNCH_GANG_H
#define RUNNER_LAUNCH_GANG_H

#include "base/error.h"
#include "runner/launch/subject.h"

#include <stddef.h>
#include <stdint.h>

/* One process. */
struct gang_copy {
    const struct subject *subject;
    struct subject_call call;
    struct subject_time time; /* what it said, after gang_run */
};

struct gang {
    struct gang_copy *copies;
    size_t count;
};

/* A copy on each processor of the subject's place, or the one on its cpu; the caller may set each one's
 * before_start and passes. STATUS_UNAVAILABLE when no copy runs (subject_check_runs). Close with gang_close
 * in every case. */
enum status gang_open(const struct subject *subject, uint64_t iterations, double timeout_s, struct gang *gang,
                      struct error *error);

/* Adds a copy, of another subject say. */
void gang_add(struct gang *gang, const struct subject *subject, const struct subject_call *call);

/* Runs them all to their end. With the first that fails all end, and the error names its processor. */
enum status gang_run(struct gang *gang, struct error *error);

/* Of the copies' ticks. */
uint64_t gang_mean_ticks(const struct gang *gang);

void gang_close(struct gang *gang);

#endif
