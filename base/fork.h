/* Child processes that are copies of this one: the only module that forks. Traits state a child's relation to
 * its parent. Until its work begins a child makes only system calls, because the parent may have threads, and
 * a lock that one of them held stays locked in the child. */
#ifndef BASE_FORK_H
#define BASE_FORK_H

#include "base/error.h"

#include <sys/types.h>

enum { FORK_FILES = 8 };

enum fork_trait {
    FORK_BOUND = 1,    /* it is killed when its parent ends */
    FORK_SURVIVES = 2, /* it has its own session and ignores what ends its parent's group */
    FORK_FRESH = 4,    /* signals have their default handlers, and none is blocked; it leaves no core file */
    FORK_ALONE = 8,  /* only stdin, stdout, stderr and the job's files stay open; others could hold a lock or
                        the end of a pipe */
    FORK_QUIET = 16, /* its input is empty and its output discarded */
};

struct fork_job {
    void (*work)(void *context); /* in the child, which ends with exit code 0 when this returns */
    void *context;
    unsigned traits;
    int files[FORK_FILES]; /* 0 or less: none */
    unsigned cpu_s;        /* it is killed after that much CPU time; 0: no limit */
};

/* Starts the child. -1, with errno, when it cannot be created. */
pid_t fork_child(const struct fork_job *job);

/* Waits for the child's end and returns its status, as waitpid does. */
int fork_wait(pid_t child);

/* Kills the child, waits for its end and returns its status. */
int fork_end(pid_t child);

/* A pair of connected sockets. The inner end, for a child, is above 2, so that it keeps its number there.
 * what: its purpose, for the error: "to control a program". */
enum status fork_line(int *inside, int *outside, const char *what, struct error *error);

#endif
