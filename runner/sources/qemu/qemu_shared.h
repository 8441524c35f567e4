/* What qemu sees of programs whose copies share regions: all copies run together, each in a QEMU of its
 * own, and take turns at what they share, so that the result is the same on any machine. */
#ifndef RUNNER_SOURCES_QEMU_QEMU_SHARED_H
#define RUNNER_SOURCES_QEMU_QEMU_SHARED_H

#include "base/error.h"
#include "base/hash.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"
#include "runner/sources/qemu/qemu_program.h"

/* Adds the metrics coherence.placed and, of several copies of one program, coherence.common_*, .left_* and
 * .taken. STATUS_UNAVAILABLE with the reason if it cannot be
 * simulated; STATUS_FAILED if the program failed. */
enum status qemu_shared_observe(const struct test_program *test_program, enum qemu_way way,
                                struct observations *list, struct error *error);

/* The hash of all on which these observations depend: on how many copies there are, and not on where they
 * run. */
void qemu_shared_identify(const struct test_program *test_program, char identity[HASH_TEXT_BYTES]);

/* About how many seconds it takes; 0: copies share nothing, or too much. */
double qemu_shared_seconds(const struct test_program *test_program);

#endif
