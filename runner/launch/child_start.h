/* The start of a child process: what the parent makes ready and what the child does before exec. Between fork
 * and exec only system calls are made: the parent may have threads, and a lock that one of them held stays
 * locked in the child. So all that needs memory (path, processor mask, image) is made ready before the fork.
 */
#ifndef RUNNER_LAUNCH_CHILD_START_H
#define RUNNER_LAUNCH_CHILD_START_H

#include "base/error.h"
#include "base/file.h"
#include "runner/launch/child.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where the child was when it could not go on, sent to the parent with errno. */
enum child_start_step { START_STDIO, START_PIN, START_EXECUTE };

struct child_start_failure {
    int step;
    int error;
};

/* All that the child needs to begin, made ready in the parent. Descriptors that are not open are -1. */
struct child_start {
    char path[FILE_PATH_BYTES];
    int image;                /* memory file to execute in place of path */
    int gate;                 /* eventfd: written once when the child may begin */
    int output[2], errors[2]; /* pipes: [0] is read by the parent, [1] written by the child */
    int failure[2];           /* carries one struct child_start_failure; closed by a successful exec */
    cpu_set_t *mask;          /* NULL: not pinned */
    size_t mask_size;
    int keep; /* descriptor that the program gets; 0: none */
    pid_t parent;
    char *const *arguments;
};

/* Makes ready what the request needs. STATUS_UNAVAILABLE when the program is not there. The caller closes
 * *start with child_start_close in every case. */
enum status child_start_open(struct child_start *start, const struct child_request *request,
                             struct error *error);

/* In the child, right after fork: waits for the gate and becomes the program, or reports why it cannot. */
_Noreturn void child_start_program(const struct child_start *start);

/* Closes the parent's descriptors and frees the mask. */
void child_start_close(struct child_start *start);

/* Closes a descriptor that is open and marks it -1. */
void child_start_close_fd(int *fd);

#endif
