/* How long a process is waited for: the time limit counts what it ran or slept, not what it waited for a
 * processor that others had, so that a loaded machine ends nothing that would have come to its end. */
#ifndef RUNNER_LAUNCH_PATIENCE_H
#define RUNNER_LAUNCH_PATIENCE_H

#include <sys/types.h>

struct patience {
    pid_t pid;
    double limit_s;
    double begin_s;  /* on clock_now_s */
    double waited_s; /* that its threads had waited for a processor by then */
};

/* From now on. */
struct patience patience_begin(pid_t pid, double limit_s);

/* Seconds that it may go on for, as far as is known now; 0 or less: it had its time. It has waited for
 * processors as /proc says, where that says it, and is ended in any case after twenty times the limit. */
double patience_left(const struct patience *patience);

#endif
