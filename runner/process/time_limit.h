/* A time limit for a process that counts its run and sleep time, but not its waits for a processor that
 * others use. So a loaded machine does not kill a program that would have finished. */
#ifndef RUNNER_PROCESS_TIME_LIMIT_H
#define RUNNER_PROCESS_TIME_LIMIT_H

#include <sys/types.h>

struct time_limit {
    pid_t pid;
    double limit_s;
    double begin_s;  /* on clock_now_s */
    double waited_s; /* that its threads had waited for a processor until then */
};

/* Seconds that the process's threads have waited for a processor; 0 if that is not reported. */
double time_limit_waited_s(pid_t pid);

/* Starts now. */
struct time_limit time_limit_begin(pid_t pid, double limit_s);

/* Seconds that remain, as far as known; 0 or less: time is up. The wait for processors comes from /proc, if
 * it is reported there; the process is ended in any case after twenty times the limit. */
double time_limit_left(const struct time_limit *time_limit);

#endif
