/* Counts a plan's events over the measured loop: each run is made twice, with fewer and with more passes, so
 * that set-up, warm-up and exit cancel out in the difference. */
#ifndef RUNNER_SOURCES_PERF_PERF_MEASURE_H
#define RUNNER_SOURCES_PERF_PERF_MEASURE_H

#include "runner/results/observation.h"
#include "runner/results/result_point.h"
#include "runner/sources/perf/perf_plan.h"

/* Adds an observation for each metric, also for each copy if there are several, and to list->counters the
 * counts per pass, averaged over copies. Multiplexed counts are scaled and marked, with a warning in
 * list->warnings. Events that cannot be counted are omitted; *first_reason is that of the first one
 * (unchanged if it has a message). STATUS_FAILED when the program failed. */
enum status perf_measure(const struct perf_plan *plan, const struct test_program *test_program,
                         struct observations *list, struct error *first_reason);

/* The result of a run with one event. */
struct perf_run {
    double passes, count;
};

/* Counts one event alone in 2 * reps runs of the test program, alternately with fewer and more passes.
 * STATUS_UNAVAILABLE when it was not counted all the time. */
enum status perf_measure_event(const struct test_program *test_program, const struct perf_host *host,
                               const char *name, const struct perf_event_attr *attributes, size_t reps,
                               struct perf_run *runs, struct error *error);

/* Links the host's event table, with the rows of a machine's description (NULL: none) first. Errors as of
 * event_folder_table. */
enum status perf_table(const struct perf_host *host, const struct machine *machine, struct event_table *table,
                       struct error *error);

/* The whole source "perf" on a host whose counters work. */
enum status perf_observe_on(const struct test_program *test_program, const struct perf_host *host,
                            struct observations *list, struct error *error);

/* Counts events of an application with all its threads and children, separately on each logical processor: in
 * total, and since the last look. Events that exceed the number of counters take turns, or are counted in
 * several runs of the application. */
struct perf_application;

/* Chooses what to count: the names in the list (of the processor's events file, of libpfm4, or r and a raw
 * code); for NULL, and for "perf", everything in the file. STATUS_USAGE for an unknown name;
 * STATUS_UNAVAILABLE with the reason when nothing, or a requested name, cannot be counted here. Close with
 * perf_application_close in every case. */
enum status perf_application_open(const char *list, const struct machine *machine,
                                  const struct perf_host *host, struct perf_application **application,
                                  struct error *error);

/* The number of runs that count every event all of the time. */
size_t perf_application_runs(const struct perf_application *application);

/* Attaches the counters to a process that waits to begin: all of them, or with several runs those of this
 * run. Counts separately on each logical processor unless that takes too many files. */
enum status perf_application_attach(struct perf_application *application, pid_t pid, size_t runs,
                                    struct error *error);

/* Counts since the last look, by name and by core; lists are in the arena. */
struct perf_look {
    struct result_values counters;
    struct result_copy_summary *cores; /* those on which something ran, without their times */
    size_t core_count;
};
void perf_application_look(struct perf_application *application, struct perf_look *look, struct arena *arena);

/* Ends this run's counting. */
void perf_application_detach(struct perf_application *application);

/* Adds what all runs counted: counts of one run and metrics, with the error of counts that took turns or of
 * runs that differ; and fills in the counts by core. */
void perf_application_total(const struct perf_application *application, struct observations *list,
                            struct perf_look *look, struct arena *arena);

/* NULL is allowed. */
void perf_application_close(struct perf_application *application);

#endif
