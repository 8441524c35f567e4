/* The process between this one and a program that it runs. It inherits whatever the program leaves behind,
 * also what called setsid and lost its parent (PR_SET_CHILD_SUBREAPER), and ends all of it with the program.
 * It has a session of its own and heeds no signal to this process's group; when this process is no more,
 * however that came, it ends the program and all that is left of it. */
#ifndef RUNNER_CHILD_WATCH_H
#define RUNNER_CHILD_WATCH_H

#include "base/error.h"
#include "runner/child_start.h"

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

/* Starts watcher and program; the program waits at its gate. STATUS_FAILED when there is no more room for
 * processes. End it with child_watch_end also after an error. */
enum status child_watch_begin(const struct child_start *start, struct child_watch *watch,
                              struct error *error);

/* True when the program has ended, or its watcher has. Does not wait. */
bool child_watch_ended(struct child_watch *watch);

/* Ends the program, if it has not ended, and whatever it left; returns how it ended. */
struct child_end child_watch_end(struct child_watch *watch);

#endif
