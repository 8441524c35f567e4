/* The watcher: a process between this one and the program that this one runs. The watcher adopts all
 * processes that the program leaves behind, including those that called setsid and lost their parent
 * (PR_SET_CHILD_SUBREAPER), and kills them when the program ends. It has its own session and ignores signals
 * to this process's group. When this process ends, for whatever reason, the watcher kills the program and
 * everything that the program left. */
#ifndef RUNNER_PROCESS_CHILD_WATCH_H
#define RUNNER_PROCESS_CHILD_WATCH_H

#include "base/error.h"
#include "base/fork.h"
#include "runner/process/child_start.h"

#include <stdbool.h>
#include <sys/types.h>

enum { CHILD_NAME_BYTES = 16 };

/* How a program ended. */
struct child_end {
    bool known;                  /* false: its watcher was killed before it could report */
    int state;                   /* as returned by waitpid */
    double at_s;                 /* on clock_now_s */
    pid_t left;                  /* first process that the program left running; 0: none */
    unsigned more;               /* how many more */
    char name[CHILD_NAME_BYTES]; /* of the first */
};

/* All zeros is none. */
struct child_watch {
    pid_t watcher; /* 0: none */
    pid_t pid;     /* of the program */
    int line;      /* readable when the program has ended; closing it makes the watcher kill the program */
    bool ended;
    struct child_end end;
};

/* Starts watcher and program, and closes the program's ends of the pipes in this process; the program waits
 * at its gate. STATUS_FAILED when no more processes can be created. End it with child_watch_end even after an
 * error. */
enum status child_watch_begin(struct child_start *start, struct child_watch *watch, struct error *error);

/* The same for a copy of this process, which ends with its watcher and is FORK_FRESH and FORK_ALONE
 * (base/fork.h). The last of the job's files must be free. */
enum status child_watch_fork(const struct fork_job *job, struct child_watch *watch, struct error *error);

/* True when the program or its watcher has ended. Does not wait. */
bool child_watch_ended(struct child_watch *watch);

/* Kills the program, if it is running, and its remaining processes; returns how the program ended. */
struct child_end child_watch_end(struct child_watch *watch);

/* The same for a process that may hang in the kernel: it has by_itself_s seconds to end, then ended_s seconds
 * after it was killed, and is then abandoned. The end of an abandoned process is not known. */
struct child_end child_watch_end_within(struct child_watch *watch, double by_itself_s, double ended_s);

#endif
