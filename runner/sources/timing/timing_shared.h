/* The time of a pass of programs whose copies share regions. All copies run together, and none has a rate
 * that a copy alone would show. */
#ifndef RUNNER_SOURCES_TIMING_TIMING_SHARED_H
#define RUNNER_SOURCES_TIMING_TIMING_SHARED_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

#include <stdbool.h>
#include <stddef.h>

/* The time of turns, from many short rounds. A disturbance only lengthens a round, and one that takes far
 * longer than a round affects few of them: the value is the rounds' lower quartile, with its bootstrap
 * interval. *agree: the value exceeds the fastest twentieth by at most a tenth. If not, most rounds were
 * interrupted for different times, and there is no interval. */
struct interval short_turns_value(const double *rounds, size_t count, bool *agree);

/* The same without the interval. */
bool short_turns_agree(const double *rounds, size_t count, double *quartile);

/* The largest ratio of agreeing times, and the doubt of times that do not agree. */
extern const double TURNS_AGREE;
extern const char TURNS_DISTURBED[];

/* Nanoseconds per pass in the rounds of one start. */
enum { TURN_ROUNDS = 60 };
struct turn_rounds {
    double ns[TURN_ROUNDS];
    size_t count;
    struct error error; /* if it has a code: the copies cannot start, or one ended */
};

/* Starts `count` groups of copies, each on its own `copies` processors of the list, and lets all groups take
 * their turns at the same time. The times are not finite if the clock's frequency is unknown. */
void timing_shared_company(const struct test_program *test_program, const int *cpus, size_t copies,
                           size_t count, struct turn_rounds *found);

/* True if the copies only take turns at a line. */
bool timing_shared_takes_turns(const struct manifest *manifest);

/* Adds "pass.ns": that of test_program->turns if it is set; of many short rounds if copies take turns
 * (short_turns_value); else the mean over copies. */
enum status timing_shared_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error);

#endif
