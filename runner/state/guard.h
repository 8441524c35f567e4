/* Putting back what was changed, whatever becomes of this process: a child keeps what stood there before and
 * writes it again when told to, or when this process is no more. */
#ifndef RUNNER_STATE_GUARD_H
#define RUNNER_STATE_GUARD_H

#include "base/error.h"
#include "runner/state/knob.h"

#include <sys/types.h>

struct guard {
    pid_t pid; /* 0: none */
    int line;  /* to the child: its end is the order to put all back */
};

/* Starts the child, in a session of its own: what ends this process's group does not end it. */
enum status guard_open(struct guard *guard, struct error *error);

/* Makes the change once the child knows what stands there now. STATUS_UNAVAILABLE when it cannot be read or
 * written, and then it stays as it is. */
enum status guard_change(const struct guard *guard, const struct knob_change *change, struct error *error);

/* Has all put back, the last change first, and waits for it. STATUS_FAILED when something could not be. */
enum status guard_close(struct guard *guard, struct error *error);

#endif
