/* Counting a plan's events over the measured loop: each run twice, with fewer and with more passes,
 * subtracted so that set-up, warm-up and exit fall out. */
#ifndef RUNNER_SOURCES_PERF_MEASURE_H
#define RUNNER_SOURCES_PERF_MEASURE_H

#include "runner/results/observation.h"
#include "runner/sources/perf_plan.h"

/* Adds an observation for each metric, of each copy too where there are several, and to list->counters
 * {name: {"value", "low", "high", "n", "scaled", "counted"}}: counts of a pass of one copy on average. What
 * was counted in turns is scaled, says so, and adds to list->warnings. What cannot be counted is left out;
 * *first_reason is that of the first (left alone when it has a message). STATUS_FAILED when the program
 * failed. */
enum status perf_measure(const struct perf_plan *plan, const struct test_program *test_program,
                         struct observations *list, struct error *first_reason);

/* The table of events of the host, the rows of a machine file's document ("events") first. As
 * event_folder_table. */
enum status perf_table(const struct perf_host *host, const json_t *machine, struct event_table *table,
                       struct error *error);

/* All that the source "perf" does on a host whose counters work. */
enum status perf_observe_on(const struct test_program *test_program, const struct perf_host *host,
                            struct observations *list, struct error *error);

#endif
