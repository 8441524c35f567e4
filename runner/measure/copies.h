/* What is recorded of copies that ran together (DESIGN.md section 7): each copy's own times and rates, and
 * their totals. */
#ifndef RUNNER_MEASURE_COPIES_H
#define RUNNER_MEASURE_COPIES_H

#include "runner/measure/process_group.h"
#include "runner/results/result_point.h"

#include <jansson.h>

/* A repetition's copies, raw. Free its items with free(). */
struct result_copies copies_of_run(const struct process_group *process_group);

/* Sets point["threads"], one entry per copy: {"cpu", "time": {"ticks_per_pass": interval}, "passes_per_s",
 * "instructions_per_tick", "load_bytes_per_s"}, and point["together"], their sums and "overlap": the share of
 * the time from the first copy's begin to the last one's end in which all copies, and their co-runners, made
 * passes; the minimum over all repetitions, which it returns (1: there are no copies, or they share regions,
 * and it is not set). reps: the point's, count of them. ticks_per_s: of the programs' clock. */
double copies_summarize(const struct manifest *manifest, const struct result_rep *reps, size_t count,
                        double ticks_per_s, json_t *point);

/* Adds observations of single copies to point["threads"], each copy's as {metric: observation} in "rates". */
void copies_add_rates(const struct observations *observations, json_t *point);

#endif
