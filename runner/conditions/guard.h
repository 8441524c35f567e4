/* Putting back what was changed, whatever becomes of this process: a child waits for its end and then puts
 * back what the journal tells. */
#ifndef RUNNER_CONDITIONS_GUARD_H
#define RUNNER_CONDITIONS_GUARD_H

#include "base/error.h"
#include "runner/conditions/journal.h"

#include <stdbool.h>
#include <sys/types.h>

/* All zeros is none. */
struct guard {
    pid_t pid; /* 0: none */
    int line;  /* to the child: its end is the order to put all back */
};

/* Starts the child, in a session of its own and deaf to signals that ask it to end: what ends this process's
 * group does not end it. It shares the journal's lock. */
enum status guard_open(const struct journal *journal, struct guard *guard, struct error *error);

/* True while it is there: nothing may be changed without it. */
bool guard_watches(const struct guard *guard);

/* Ends it; what still stands in the journal is put back. */
void guard_close(struct guard *guard);

#endif
