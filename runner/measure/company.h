/* Programs that make passes on other cores for as long as the measured program runs. They make them in
 * rounds, so that their passes in any part of that time are known. */
#ifndef RUNNER_MEASURE_COMPANY_H
#define RUNNER_MEASURE_COMPANY_H

#include "base/error.h"
#include "runner/measure/process_group.h"
#include "runner/results/result_point.h"

struct company;

/* A co-runner of the test program: a kernel of another core. */
struct companion {
    struct test_program test_program;
    double pass_s; /* seconds per pass: alone, set by repetition_pace; then as in the last repetition */
    size_t copies; /* in the last repetition */
};

/* A test program and its co-runners. */
struct joint_run {
    const struct test_program *test_program;
    struct companion *co_runners; /* they run for as long as the test program; for about as long if copies
                                     share regions */
    size_t co_runners_count;
    double timeout_s;
    double ticks_per_s; /* of the programs' clock; 0: unknown */
};

/* True if the test program is a kernel of { cores = {...} }, and neither it nor a co-runner shares regions,
 * so that none waits for another. The co-runners may be none. */
bool company_can(const struct joint_run *cast);

/* Starts the co-runners; returns when each has made its first passes and continues. Close *company with
 * company_close even after an error. */
enum status company_begin(const struct joint_run *cast, struct company **company, struct error *error);

/* Runs the copy's call beside them and sets the copy's time. *waited: the share of that time in which the
 * copy or, on average, the company waited for a processor that others used; the larger of both. */
enum status company_run(const struct company *company, struct process_group_copy *copy, double *waited,
                        struct error *error);

/* Ends them. STATUS_FAILED, with the processor, when one ended before. */
enum status company_end(struct company *company, struct error *error);

/* For each of them, from tick `from` to tick `to`: the passes (of a round that is partly outside, its share),
 * the ticks of its rounds without those between rounds, and the bytes moved. Free its items with free(). */
struct result_copies company_between(const struct company *company, uint64_t from, uint64_t to);

/* Sets the co-runners' time per pass to that of their last rounds, beside the others. */
void company_pace(const struct company *company, struct joint_run *cast);

void company_close(struct company *company);

#endif
