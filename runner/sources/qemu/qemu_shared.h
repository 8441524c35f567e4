/* Observations of the source "qemu" for programs whose copies share regions: all copies run together, each in
 * a QEMU of its own, and take turns at the shared regions, so that the result is the same on any machine. */
#ifndef RUNNER_SOURCES_QEMU_QEMU_SHARED_H
#define RUNNER_SOURCES_QEMU_QEMU_SHARED_H

#include "base/error.h"
#include "base/hash.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"
#include "runner/sources/qemu/qemu_program.h"

/* Adds the metrics coherence.placed and, for several copies of one program, coherence.common_*, .left_* and
 * .taken. STATUS_UNAVAILABLE with the reason if it cannot be simulated; STATUS_FAILED if the program
 * failed. */
enum status qemu_shared_observe(const struct test_program *test_program, enum qemu_way way,
                                struct observations *list, struct error *error);

/* The hash of everything that determines these observations: the number of copies, but not where they run. */
void qemu_shared_identify(const struct test_program *test_program, char identity[HASH_TEXT_BYTES]);

/* An estimate of its seconds; 0: copies share no regions, or make too many accesses. */
double qemu_shared_seconds(const struct test_program *test_program);

#endif
