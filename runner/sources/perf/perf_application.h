/* Counts events of an application with all its threads and children, on each logical processor apart: whole
 * and since the last look. Events that do not fit the counters at once take turns, or are counted in several
 * runs of the application. */
#ifndef RUNNER_SOURCES_PERF_PERF_APPLICATION_H
#define RUNNER_SOURCES_PERF_PERF_APPLICATION_H

#include "generator/machine/machine.h"
#include "runner/results/result_point.h"
#include "runner/state/perf_host.h"

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
