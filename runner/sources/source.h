/* Sources of evidence (DESIGN.md section 6): each one file and one row in the table of source.c. */
#ifndef RUNNER_SOURCES_SOURCE_H
#define RUNNER_SOURCES_SOURCE_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

#include <stdbool.h>

struct counter_source {
    const char *name; /* "cachegrind" */
    const char *kind; /* what its observations are: "simulated" */

    /* Whose programs it looks at, names with commas; NULL: those of x86_64. It is not asked about others. */
    const char *targets;

    /* False for a test program that asks for nothing it can see; then it is not asked either. NULL: none is.
     */
    bool (*concerns)(const struct test_program *test_program);

    /* STATUS_OK when it can work on this machine at all; else STATUS_UNAVAILABLE with the reason and, as the
     * hint, the command that would make it so. */
    enum status (*usable)(struct error *why_not);

    /* Adds what it sees of the test program to *list. STATUS_UNAVAILABLE with the reason when it cannot see
     * this test program (a cache whose sets are no power of two, a program that is not latency-bound) or its
     * own tool failed: the other sources go on. STATUS_FAILED only when the program itself failed when it was
     * run. */
    enum status (*observe)(const struct test_program *test_program, struct observations *list,
                           struct error *error);

    bool alone; /* what runs beside it on the machine falsifies what it sees */

    const char *const *metrics; /* what it can see, NULL-terminated; "mix.*" stands for a family */
};

extern const struct counter_source counter_plan;
extern const struct counter_source counter_bytes;
extern const struct counter_source counter_cachegrind;
extern const struct counter_source counter_timing;
extern const struct counter_source counter_duty;
extern const struct counter_source counter_perf;
extern const struct counter_source counter_record;
extern const struct counter_source counter_cupti;
extern const struct counter_source counter_wave;

/* The table, best kind first; NULL-terminated. */
extern const struct counter_source *const counter_sources[];

/* True when the source looks at programs of the target. */
bool source_serves(const struct counter_source *source, const char *target);

/* What observe returns when something failed that is not the program: a STATUS_FAILED becomes
 * STATUS_UNAVAILABLE, in *error (may be NULL) too; anything else stays. */
enum status source_cannot_see(enum status status, struct error *error);

#endif
