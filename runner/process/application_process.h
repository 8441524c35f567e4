/* Runs an application as if it were started directly: it shares stdin, stdout, stderr, the terminal and the
 * process group with this process, and receives the signals that others send to this process. It may start
 * any number of processes; only its own end is waited for. */
#ifndef RUNNER_PROCESS_APPLICATION_PROCESS_H
#define RUNNER_PROCESS_APPLICATION_PROCESS_H

#include "base/error.h"
#include "base/file.h"

#include <stdbool.h>
#include <sys/types.h>

struct application_process {
    char path[FILE_PATH_BYTES]; /* of its executable */
    pid_t pid;                  /* 0: none */
    int gate, failure, pidfd;   /* -1: closed */
    double begin_s;             /* on clock_now_s */
    bool ended;                 /* only then are the following set: */
    double end_s;               /* on clock_now_s */
    int state;                  /* as returned by waitpid */
    double user_s, system_s;    /* processor time of it and of the descendants that were waited for */
};

/* From now on SIGINT, SIGTERM and other signals that end a process do not end this one. They are forwarded to
 * the running application, unless the terminal has already sent them to it. */
void application_pass_signals(void);

/* True when a signal that ends processes has arrived. */
bool application_was_signalled(void);

/* Creates the process, which waits for application_begin, so that counters can be attached. arguments:
 * NULL-terminated; the first one is looked up on PATH. STATUS_UNAVAILABLE when there is no such program. End
 * it with application_end even after an error. */
enum status application_create(char *const *arguments, struct application_process *process,
                               struct error *error);

/* Lets it begin. STATUS_FAILED when it cannot be executed. */
enum status application_begin(struct application_process *process, struct error *error);

/* Waits for its end until that moment (clock_now_s; INFINITY: for ever). True when it has ended. */
bool application_wait(struct application_process *process, double until_s);

/* Its exit code or, when a signal ended it, 128 and the signal's number, as shells report it. */
int application_exit_code(const struct application_process *process);

/* Kills it if it has not ended, and closes what was open. */
void application_end(struct application_process *process);

#endif
