/* Restores changed state however this process ends: a child waits for that and then restores what the journal
 * lists. */
#ifndef RUNNER_STATE_GUARD_H
#define RUNNER_STATE_GUARD_H

#include "base/error.h"
#include "runner/state/journal.h"

#include <stdbool.h>
#include <sys/types.h>

/* All zeros is none. */
struct guard {
    pid_t pid; /* 0: none */
    int line;  /* to the child: closing it is the order to restore everything */
};

/* Starts the child in its own session, ignoring termination signals, so that killing this process's group
 * does not end it. It shares the journal's lock. */
enum status guard_open(const struct journal *journal, struct guard *guard, struct error *error);

/* True while the child exists: without it, nothing may be changed. */
bool guard_watches(const struct guard *guard);

/* Ends it; restores what is still in the journal. */
void guard_close(struct guard *guard);

#endif
