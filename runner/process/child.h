/* Runs a program in a child process, so that a fault, a hang or an illegal instruction ends only the child
 * and becomes an error message. The child and its descendants end with this process, however that ends
 * (child_watch.h): a killed run leaves nothing behind. */
#ifndef RUNNER_PROCESS_CHILD_H
#define RUNNER_PROCESS_CHILD_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/process/child_watch.h"

#include <stddef.h>
#include <sys/types.h>

struct child_result {
    struct buffer output; /* its stdout */
    struct buffer errors; /* its stderr; each cut at the limit */
    double wall_s;
    int signal;         /* signal that ended it, unless this process sent it; 0: none */
    int exit_code;      /* 0 also if it did not exit */
    pid_t left;         /* first process that it left running, which was then killed; 0: none */
    unsigned left_more; /* number of further ones */
    char left_name[CHILD_NAME_BYTES];
};

/* Runs to the end. STATUS_OK when it exited with 0; otherwise STATUS_FAILED with the reason ("ended by signal
 * 4 (Illegal instruction)", "still running after 60 s", its exit code and last line). STATUS_UNAVAILABLE when
 * the program does not exist. The caller frees *result with child_result_free in every case. */
enum status child_run(const struct child_request *request, struct child_result *result, struct error *error);

void child_result_free(struct child_result *result);

#endif
