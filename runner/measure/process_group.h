/* Copies of programs that run together, each in its own process with its own data, pinned to its own logical
 * processor. All are set up and warmed up before the first starts its passes; then all start at once. */
#ifndef RUNNER_MEASURE_PROCESS_GROUP_H
#define RUNNER_MEASURE_PROCESS_GROUP_H

#include "base/error.h"
#include "runner/launch/test_program.h"

#include <stddef.h>
#include <stdint.h>

/* One process. */
struct process_group_copy {
    const struct test_program *test_program;
    struct test_program_call call;
    struct test_program_time time; /* its report, after process_group_run */
};

struct process_group {
    struct process_group_copy *copies;
    size_t count;
};

/* A copy on each processor of the test program's place, or one on its cpu; the caller may set each one's
 * before_start and passes. STATUS_UNAVAILABLE when no copy runs (test_program_check_runs). Close with
 * process_group_close in every case. */
enum status process_group_open(const struct test_program *test_program, uint64_t iterations, double timeout_s,
                               struct process_group *process_group, struct error *error);

/* Adds a copy, for instance of another test program. */
void process_group_add(struct process_group *process_group, const struct test_program *test_program,
                       const struct test_program_call *call);

/* Runs all copies to their end. When one fails, all end, and the error names its processor. */
enum status process_group_run(struct process_group *process_group, struct error *error);

/* Raises this process's limit of open files for that many copies: each needs some while it runs, and hundreds
 * of copies exceed the usual limit. */
void process_group_allow_files(size_t copies);

/* The mean of the copies' ticks. */
uint64_t process_group_mean_ticks(const struct process_group *process_group);

/* Runs all copies of the test program together, for that many passes each; sets *ticks to the mean of the
 * copies' ticks. STATUS_UNAVAILABLE when the processor lacks a feature. */
enum status process_group_run_program(const struct test_program *test_program, uint64_t iterations,
                                      double timeout_s, uint64_t *ticks, struct error *error);

void process_group_close(struct process_group *process_group);

#endif
