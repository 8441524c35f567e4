/* A child process that uses a device's driver, driven by lines of JSON: a fault, a hang or a permanently
 * broken driver ends only the child and becomes an error message. The child is a copy of this process (fork
 * without exec), so its input need not be sent; it never returns from worker_start. */
#ifndef RUNNER_PROCESS_WORKER_H
#define RUNNER_PROCESS_WORKER_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/process/child_watch.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/* The child's functions. All run in the child. */
struct worker_job {
    /* Answers one request with its own object, or worker_refusal. New reference. */
    json_t *(*answer)(void *context, const json_t *request);
    void (*end)(void *context); /* called last, when no more requests come; NULL: nothing */
    void *context;
    bool survives; /* the child ends by itself if this process is killed; otherwise it and its children are
                      killed */
};

struct worker {
    pid_t pid;                /* 0: none */
    struct child_watch watch; /* of a child that does not survive */
    int line;
    struct buffer heard; /* its answer so far */
};

/* Starts the child. STATUS_FAILED when no more processes can be created. End it with worker_end. */
enum status worker_start(const struct worker_job *job, struct worker *worker, struct error *error);

/* Sends a request and waits up to timeout_s for the answer (a new reference). Returns the child's refusals
 * unchanged. STATUS_FAILED when it ended by itself, with how, or did not answer in time; then it is killed
 * and takes no more requests. what: the object of the request, for that message: "the kernel". */
enum status worker_ask(struct worker *worker, const json_t *request, double timeout_s, const char *what,
                       json_t **answer, struct error *error);

/* Tells the child that no more requests come and waits some seconds for its end; then kills it. False when it
 * did not end well. A zeroed worker is none. */
bool worker_end(struct worker *worker);

/* In the child: the error as an answer. New reference. */
json_t *worker_refusal(const struct error *error);

#endif
