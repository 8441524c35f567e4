/* The process between this one and a program that it runs. It inherits whatever the program leaves behind,
 * also what called setsid and lost its parent (PR_SET_CHILD_SUBREAPER), and ends all of it with the program.
 * It has a session of its own and heeds no signal to this process's group; when this process is no more,
 * however that came, it ends the program and all that is left of it. */
#ifndef RUNNER_LAUNCH_CHILD_WATCH_H
#define RUNNER_LAUNCH_CHILD_WATCH_H

#include "base/error.h"
#include "runner/launch/child_start.h"

#include <stdbool.h>
#include <sys/types.h>

/* How a program ended. */
struct child_end {
    bool known;                  /* else its watcher was ended before it could tell */
    int state;                   /* as waitpid has it */
    double at_s;                 /* on clock_now_s */
    pid_t left;                  /* the first process that the program left running; 0: none */
    unsigned more;               /* how many besides */
    char name[CHILD_NAME_BYTES]; /* of the first */
};

/* All zeros is none. */
struct child_watch {
    pid_t watcher; /* 0: none */
    pid_t pid;     /* of the program */
    int line;      /* readable when the program has ended; its end is the order to end it */
    bool ended;
    struct child_end end;
};

enum { CHILD_WATCH_FILES = 8 };

/* What becomes of a process without another program's image. */
struct child_watch_job {
    void (*become)(const void *context, pid_t watcher); /* in that process, whose parent is the watcher; must
                                                           not return */
    const void *context;
    int files[CHILD_WATCH_FILES]; /* descriptors above 2 that it has; others are closed. 0 and less: none */
};

/* Starts watcher and program; the program waits at its gate. STATUS_FAILED when there is no more room for
 * processes. End it with child_watch_end also after an error. */
enum status child_watch_begin(const struct child_start *start, struct child_watch *watch,
                              struct error *error);

/* The same with a copy of this process. */
enum status child_watch_fork(const struct child_watch_job *job, struct child_watch *watch,
                             struct error *error);

/* True when the program has ended, or its watcher has. Does not wait. */
bool child_watch_ended(struct child_watch *watch);

/* Ends the program, if it has not ended, and whatever it left; returns how it ended. */
struct child_end child_watch_end(struct child_watch *watch);

/* The same for what may hang in the kernel: it has some time to end by itself, then to be ended, and then it
 * is left. An end that is not known is that of one that was left. */
struct child_end child_watch_end_within(struct child_watch *watch, double by_itself_s, double ended_s);

#endif
