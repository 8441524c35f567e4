/* The time of a pass of programs whose copies share regions: all copies run together, and none has a rate
 * that a copy alone would show. */
#ifndef RUNNER_SOURCES_TIMING_TIMING_SHARED_H
#define RUNNER_SOURCES_TIMING_TIMING_SHARED_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

/* True if all that the copies do is to take turns at a line. */
bool timing_shared_takes_turns(const struct manifest *manifest);

/* Adds "pass.ns": where copies take turns, of many short rounds (short_turns.h), else the mean over copies.
 */
enum status timing_shared_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error);

#endif
