/* Results of copies that ran together (DESIGN.md section 7): each copy's own times and rates, and their
 * totals. */
#ifndef RUNNER_MEASURE_COPIES_H
#define RUNNER_MEASURE_COPIES_H

#include "runner/measure/process_group.h"
#include "runner/results/result_point.h"

/* Bytes that the loads, and if requested the stores, of one pass move. */
double copies_pass_bytes(const struct manifest *manifest, bool stores);

/* A repetition's copies, raw. Free its items with free(). */
struct result_copies copies_of_run(const struct process_group *process_group);

/* Sets the point's copies, each with its time and "passes_per_s", "instructions_per_tick" and
 * "load_bytes_per_s"; and the values of all copies together: the sums of these rates, and "overlap". The
 * overlap is the share of the time from the first copy's begin to the last one's end in which all copies and
 * their co-runners made passes, and of all repetitions the least. It is 1, and not among the values, if there
 * are no copies or they share regions. ticks_per_s: of the programs' clock. */
void copies_summarize(const struct manifest *manifest, double ticks_per_s, struct result_point *point);

/* Adds the observations of single copies to the point's copies. */
void copies_add_rates(const struct observations *observations, struct result_point *point);

#endif
