/* A child process that uses a device's driver and answers requests: a fault, a hang or a permanently broken
 * driver ends only the child and becomes an error message. The child is a copy of this process (fork without
 * exec). So its input need not be sent, structs are sent as their bytes, and pointers to constants are valid
 * on both sides. The child never returns from worker_start. */
#ifndef RUNNER_PROCESS_WORKER_H
#define RUNNER_PROCESS_WORKER_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/process/child_watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A request: the bytes of a struct or a text. */
struct worker_bytes {
    const void *bytes;
    size_t size;
};

/* The child's functions. All run in the child. */
struct worker_job {
    /* Answers one request by bytes that it appends, or by an error, which worker_ask returns unchanged. */
    enum status (*answer)(void *context, const struct worker_bytes *request, struct buffer *answer,
                          struct error *error);
    void (*end)(void *context); /* called last, when no more requests come; NULL: nothing */
    void *context;
    bool survives; /* the child ends by itself if this process is killed; otherwise it and its children are
                      killed */
};

struct worker {
    pid_t pid;                /* 0: none */
    struct child_watch watch; /* of a child that does not survive */
    int line;
    struct buffer received; /* its answer so far */
};

/* Starts the child. STATUS_FAILED when no more processes can be created. End it with worker_end. */
enum status worker_start(const struct worker_job *job, struct worker *worker, struct error *error);

/* Sends a request and waits up to timeout_s for the answer. Returns the child's errors unchanged.
 * STATUS_FAILED when the child ended, with how it ended, or did not answer in time; it is then killed and
 * takes no more requests. what: the object of the request, for that message: "the kernel". answer: empty
 * before; NULL: the answer is dropped. */
enum status worker_ask(struct worker *worker, const struct worker_bytes *request, double timeout_s,
                       const char *what, struct buffer *answer, struct error *error);

/* Closes the line of requests and waits some seconds for the child's end; then kills it. False when it did
 * not exit with 0. A zeroed worker is none. */
bool worker_end(struct worker *worker);

#endif
