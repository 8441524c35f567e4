/* The time of a pass of programs whose copies share regions: all copies run together, and none has a rate
 * that a copy alone would show. */
#ifndef RUNNER_SOURCES_TIMING_TIMING_SHARED_H
#define RUNNER_SOURCES_TIMING_TIMING_SHARED_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

/* Adds "pass.ns", the mean over copies. */
enum status timing_shared_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error);

#endif
