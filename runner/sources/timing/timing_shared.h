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

/* The same without the interval. */
bool short_turns_agree(const double *rounds, size_t count, double *quartile);

/* Quartiles of the same turns differ by no greater factor, and what is said of those that do. */
extern const double TURNS_AGREE;
extern const char TURNS_DISTURBED[];

/* Nanoseconds per pass of a start's rounds. */
enum { TURN_ROUNDS = 60 };
struct turn_rounds {
    double ns[TURN_ROUNDS];
    size_t count;
    struct error error; /* with a code: the copies cannot start, or one ended */
};

/* Starts `count` groups of copies, each on its own `copies` processors of the list, and lets all groups take
 * their turns at the same time. The clock's frequency unknown: the times are not finite. */
void timing_shared_company(const struct test_program *test_program, const int *cpus, size_t copies,
                           size_t count, struct turn_rounds *found);

/* True if all that the copies do is to take turns at a line. */
bool timing_shared_takes_turns(const struct manifest *manifest);

/* Adds "pass.ns": that of test_program->turns if there are some; where copies take turns, of many short
 * rounds (short_turns_value), else the mean over copies.
 */
enum status timing_shared_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error);

#endif
