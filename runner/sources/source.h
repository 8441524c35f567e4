/* Sources of evidence (DESIGN.md section 6). Each source is one file and one row in the table of source.c;
 * the metrics' rows list the sources that observe them (generator/metric/metric.c). */
#ifndef RUNNER_SOURCES_SOURCE_H
#define RUNNER_SOURCES_SOURCE_H

#include "base/error.h"
#include "base/hash.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

#include <stdbool.h>

struct counter_source {
    const char *name;        /* "cachegrind" */
    enum evidence_kind kind; /* of its observations */

    /* The targets whose programs it observes, separated by commas; NULL: those of processors
     * (ISA_PROCESSOR). */
    const char *targets;

    /* False for a test program that requests nothing that the source can observe; the source then does not
     * run. NULL: it always runs. */
    bool (*concerns)(const struct test_program *test_program);

    /* STATUS_OK when the source can work on this machine at all; else STATUS_UNAVAILABLE with the reason and,
     * as the hint, the command that enables it. NULL: it always can. Call source_usable. */
    enum status (*usable)(struct error *why_not);

    /* Adds the source's observations of the test program to *list. STATUS_UNAVAILABLE with the reason when it
     * cannot observe this test program (a cache whose number of sets is not a power of two, a program that is
     * not latency-bound), or when its own tool failed: the other sources continue. STATUS_FAILED only when
     * the program itself failed. */
    enum status (*observe)(const struct test_program *test_program, struct observations *list,
                           struct error *error);

    /* The hash of everything that determines its observations of the test program, except the machine:
     * programs with the same hash are observed once. NULL, or "": the program is observed itself. */
    void (*identify)(const struct test_program *test_program, char identity[HASH_TEXT_BYTES]);

    /* Prepares several programs (NULL: none) for observe, where that is cheaper together, and sets their
     * `prepared`. NULL: nothing to prepare. */
    void (*prepare)(struct test_program *const *list, size_t count);

    bool alone;     /* other load on the machine falsifies its observations */
    bool in_rounds; /* it observes time, for which one start of the program is not enough
                       (runner/evidence/evidence.h) */
};

extern const struct counter_source counter_plan;
extern const struct counter_source counter_bytes;
extern const struct counter_source counter_cachegrind;
extern const struct counter_source counter_qemu;
extern const struct counter_source counter_timing;
extern const struct counter_source counter_duty;
extern const struct counter_source counter_perf;
extern const struct counter_source counter_record;
extern const struct counter_source counter_cupti;
extern const struct counter_source counter_wave;
extern const struct counter_source counter_warp;

/* The table, best kind first; NULL-terminated. */
extern const struct counter_source *const counter_sources[];

/* True when the source observes programs of the target. */
bool source_serves(const struct counter_source *source, const char *target);

enum status source_usable(const struct counter_source *source, struct error *why_not);

/* Adds a value that the source has counted exactly, from n events. */
void source_add(const struct counter_source *source, struct observations *list, const char *metric,
                double value, double n);

/* The same for the share part / whole; adds nothing if the whole is 0. */
void source_add_share(const struct counter_source *source, struct observations *list, const char *metric,
                      double part, double whole);

/* The status of observe when something other than the program failed: STATUS_FAILED becomes
 * STATUS_UNAVAILABLE, also in *error (may be NULL); other statuses are unchanged. */
enum status source_unavailable(enum status status, struct error *error);

#endif
