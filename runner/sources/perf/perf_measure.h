/* Counts a plan's events over the measured loop: each run twice, with fewer and with more passes, so that
 * set-up, warm-up and exit cancel out in the difference. */
#ifndef RUNNER_SOURCES_PERF_PERF_MEASURE_H
#define RUNNER_SOURCES_PERF_PERF_MEASURE_H

#include "runner/results/observation.h"
#include "runner/results/result_point.h"
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

/* The host's event table, with the rows of a machine's description (NULL: none) first. Errors as
 * event_folder_table. */
enum status perf_table(const struct perf_host *host, const struct machine *machine, struct event_table *table,
                       struct error *error);

/* The whole source "perf" on a host whose counters work. */
enum status perf_observe_on(const struct test_program *test_program, const struct perf_host *host,
                            struct observations *list, struct error *error);

/* Counts events of an application with all its threads and children, on each logical processor apart: whole
 * and since the last look. Events that do not fit the counters at once take turns, or are counted in several
 * runs of the application. */
struct perf_application;

/* Chooses what to count: the names in the list (of the processor's events file, of libpfm4, or r and a raw
 * code) or, for NULL and "perf", all that the file has. STATUS_USAGE for an unknown name, STATUS_UNAVAILABLE
 * with the reason when nothing, or a name, cannot be counted here. Close with perf_application_close in every
 * case. */
enum status perf_application_open(const char *list, const struct machine *machine,
                                  const struct perf_host *host, struct perf_application **application,
                                  struct error *error);

/* How many runs count every event all of the time. */
size_t perf_application_runs(const struct perf_application *application);

/* Attaches the counters to a process that waits to begin: all, or with several runs those of this run's turn.
 * Counts on each logical processor apart unless that takes too many files. */
enum status perf_application_attach(struct perf_application *application, pid_t pid, size_t runs,
                                    struct error *error);

/* What was counted since the last look, by name and by core; lists are in the arena. */
struct perf_look {
    struct result_values counters;
    struct result_copy_summary *cores; /* those on which something ran, without their times */
    size_t core_count;
};
void perf_application_look(struct perf_application *application, struct perf_look *look, struct arena *arena);

/* Ends this run's counting. */
void perf_application_detach(struct perf_application *application);

/* What all runs counted: counts of one run and metrics, with the error of counts that took turns or of runs
 * that differ; and the counts by core. */
void perf_application_total(const struct perf_application *application, struct observations *list,
                            struct perf_look *look, struct arena *arena);

/* NULL is allowed. */
void perf_application_close(struct perf_application *application);

#endif
