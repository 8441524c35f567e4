/* A time limit for a process that counts the time in which it runs or sleeps, but not the time in which it
 * waits for a processor that others use. So a program that would have finished in time is not killed because
 * the machine is loaded. */
#ifndef RUNNER_PROCESS_TIME_LIMIT_H
#define RUNNER_PROCESS_TIME_LIMIT_H

#include <sys/types.h>

struct time_limit {
    pid_t pid;
    double limit_s;
    double begin_s;  /* on clock_now_s */
    double waited_s; /* time_limit_waited_s at the begin */
};

/* Seconds that the process's threads have waited for a processor so far; 0 if the system does not report
 * them. */
double time_limit_waited_s(pid_t pid);

/* Starts now. */
struct time_limit time_limit_begin(pid_t pid, double limit_s);

/* The seconds that remain; 0 or less: time is up. It is up in any case after twenty times the limit. */
double time_limit_left(const struct time_limit *time_limit);

#endif
