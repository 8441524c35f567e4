/* The start of a child process: the request, the preparation in the parent, and the child's steps before
 * exec. Between fork and exec the child makes only system calls, because a lock that another thread of the
 * parent held stays locked in the child. So everything that needs memory (path, processor mask, image) is
 * prepared before the fork. */
#ifndef RUNNER_PROCESS_CHILD_START_H
#define RUNNER_PROCESS_CHILD_START_H

#include "base/error.h"
#include "base/file.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What to run, and how. */
struct child_request {
    const char *path;  /* program to execute, found on PATH when it has no slash; NULL: image */
    const void *image; /* an executable's bytes, run from memory without a file */
    size_t image_size;
    char *const *arguments; /* NULL-terminated; arguments[0] is the name shown */
    int cpu;                /* logical processor to pin to; -1: any */
    int keep_fd;            /* descriptor above 2 passed to the program under the same number; 0: none */
    double timeout_s;       /* the child is killed after this time (time_limit.h); 0: 60 s */
    size_t output_limit;    /* bytes kept of each stream, at least 64 KiB; 0: 1 MiB */

    /* Called in the parent when the child exists but has not started the program (to attach counters). NULL:
     * none. */
    enum status (*before_start)(pid_t pid, void *context, struct error *error);
    void *context;
};

/* The step at which the child failed, sent to the parent with errno. */
enum child_start_step { START_STDIO, START_PIN, START_EXECUTE };

struct child_start_failure {
    int step;
    int error;
};

/* Everything that the child needs to start, prepared in the parent. Descriptors that are not open are -1. */
struct child_start {
    char path[FILE_PATH_BYTES];
    int image;                /* memory file to execute instead of path */
    int gate;                 /* eventfd: written once to let the child start */
    int output[2], errors[2]; /* pipes: the parent reads [0], the child writes [1] */
    int failure[2];           /* carries one struct child_start_failure; closed by a successful exec */
    cpu_set_t *mask;          /* NULL: not pinned */
    size_t mask_size;
    int keep; /* descriptor passed to the program; 0: none */
    char *const *arguments;
};

/* True when the program is on PATH, or, if its name has a slash, at that path. */
bool child_program_exists(const char *name);

/* The same; writes the program's path to path (of FILE_PATH_BYTES). */
bool child_program_find(const char *name, char *path);

/* Prepares the request. STATUS_UNAVAILABLE when the program does not exist. The caller closes *start with
 * child_start_close in every case. */
enum status child_start_open(struct child_start *start, const struct child_request *request,
                             struct error *error);

/* In the child, right after fork, with a struct child_start: waits for the gate and executes the program, or
 * reports why it cannot. Does not return. */
void child_start_program(void *context);

/* Opens the gate. */
enum status child_start_release(const struct child_start *start, struct error *error);

/* Closes the parent's descriptors and frees the mask. */
void child_start_close(struct child_start *start);

/* Closes a descriptor if it is open, and sets it to -1. */
void child_start_close_fd(int *fd);

#endif
