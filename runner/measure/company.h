/* Programs that make passes on other cores for as long as the measured one runs: round after round, so that
 * what they did in any part of that time is known. */
#ifndef RUNNER_MEASURE_COMPANY_H
#define RUNNER_MEASURE_COMPANY_H

#include "base/error.h"
#include "runner/measure/process_group.h"
#include "runner/results/result_point.h"

struct company;

/* A co-runner of the test program: a kernel of another core. */
struct companion {
    struct test_program test_program;
    double pass_s; /* when it runs alone, set by repetition_pace; then as the last repetition showed it */
    size_t copies; /* in the last repetition */
};

/* What runs together. */
struct joint_run {
    const struct test_program *test_program;
    struct companion *co_runners; /* all run while the test program does, or, where copies share regions, for
                                     about as long */
    size_t co_runners_count;
    double timeout_s;
    double ticks_per_s; /* of the programs' clock; 0: unknown */
};

/* True if the test program is a kernel of { cores = {...} } and the co-runners can be such, none at all
 * included: they wait for nobody. */
bool company_can(const struct joint_run *cast);

/* Starts them; returns when all have made their first passes and go on. Close *company with company_close
 * even after an error. */
enum status company_begin(const struct joint_run *cast, struct company **company, struct error *error);

/* Runs the copy beside them, as its call says, and sets its time. *waited: the share of that time in which
 * the copy, or on average its company, waited for a processor that others used. */
enum status company_run(const struct company *company, struct process_group_copy *copy, double *waited,
                        struct error *error);

/* Lets them end. STATUS_FAILED, with the processor, when one did before. */
enum status company_end(struct company *company, struct error *error);

/* What each did from that tick to the other: passes, in part where a round began before or ended after; the
 * ticks of its rounds, without what lies between them; the bytes that it moved. Free its items with free().
 */
struct result_copies company_between(const struct company *company, uint64_t from, uint64_t to);

/* Sets the co-runners' time per pass beside the others, as their last rounds showed it. */
void company_pace(const struct company *company, struct joint_run *cast);

void company_close(struct company *company);

#endif
