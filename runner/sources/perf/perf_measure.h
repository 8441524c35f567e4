/* Counts a plan's events over the measured loop: each run twice, with fewer and with more passes, so that
 * set-up, warm-up and exit cancel out in the difference. */
#ifndef RUNNER_SOURCES_PERF_PERF_MEASURE_H
#define RUNNER_SOURCES_PERF_PERF_MEASURE_H

#include "runner/results/observation.h"
#include "runner/sources/perf/perf_plan.h"

/* Adds an observation for each metric, also for each copy if there are several, and to list->counters the
 * counts per pass of one copy on average. Multiplexed
 * counts are scaled and marked, and add to list->warnings. Events that cannot be counted are omitted;
 * *first_reason is that of the first (unchanged if it has a message). STATUS_FAILED when the program
 * failed. */
enum status perf_measure(const struct perf_plan *plan, const struct test_program *test_program,
                         struct observations *list, struct error *first_reason);

/* A run under one event. */
struct perf_run {
    double passes, count;
};

/* Counts one event alone in 2 * reps runs of the test program, of fewer and more passes in turn.
 * STATUS_UNAVAILABLE when it was not counted all the time. */
enum status perf_measure_event(const struct test_program *test_program, const struct perf_host *host,
                               const char *name, const struct perf_event_attr *attributes, size_t reps,
                               struct perf_run *runs, struct error *error);

/* The host's event table, with the rows of a machine file's document ("events") first. Errors as
 * event_folder_table. */
enum status perf_table(const struct perf_host *host, const json_t *machine, struct event_table *table,
                       struct error *error);

/* The whole source "perf" on a host whose counters work. */
enum status perf_observe_on(const struct test_program *test_program, const struct perf_host *host,
                            struct observations *list, struct error *error);

#endif
