/* Shared by the sources that simulate a standalone executable: after set-up and warm-up the program forks
 * into two processes with different numbers of passes, and the counts of the two are subtracted. */
#ifndef RUNNER_SOURCES_SIMULATED_PASSES_H
#define RUNNER_SOURCES_SIMULATED_PASSES_H

#include "base/error.h"
#include "runner/launch/test_program.h"

/* The processes differ by a hundred passes, which every period divides (DESIGN.md section 3). */
enum { PASSES_FEWER = 20, PASSES_MORE = 120, PASSES_COUNTED = PASSES_MORE - PASSES_FEWER };

/* STATUS_UNAVAILABLE if the program needs a feature that no version of the simulator ("valgrind")
 * supports. */
enum status simulated_check_features(const struct test_program *test_program, const char *simulator,
                                     struct error *error);

/* STATUS_FAILED if the counted passes made no reads or no writes although the manifest has loads or
 * stores. */
enum status simulated_check_accesses(const struct test_program *test_program, unsigned passes, double reads,
                                     double writes, struct error *error);

#endif
