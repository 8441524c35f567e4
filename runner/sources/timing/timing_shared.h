/* The time of a pass of programs whose copies share regions: all copies run together, and none has a rate
 * that a copy alone would show. */
#ifndef RUNNER_SOURCES_TIMING_TIMING_SHARED_H
#define RUNNER_SOURCES_TIMING_TIMING_SHARED_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

#include <stdbool.h>
#include <stddef.h>

/* The time of turns from many short rounds. A disturbance only lengthens a round, and one that is far longer
 * than a round leaves most of them alone: the value is their lower quartile, with its bootstrap interval.
 * *agree: whether it is at most a tenth above the fastest twentieth; else most rounds were interrupted, each
 * for another time, and there is no interval.
 */
struct interval short_turns_value(const double *rounds, size_t count, bool *agree);

/* True if all that the copies do is to take turns at a line. */
bool timing_shared_takes_turns(const struct manifest *manifest);

/* Adds "pass.ns": where copies take turns, of many short rounds (short_turns_value), else the mean over
 * copies.
 */
enum status timing_shared_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error);

#endif
