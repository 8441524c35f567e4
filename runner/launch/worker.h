/* A child process in which a device's driver is used, asked by lines of JSON: a fault, a hang or a driver
 * whose state is broken for good ends the child and becomes a sentence. The child is a copy of this process
 * (fork without exec), so that what it works on need not be sent; it never returns from worker_start. */
#ifndef RUNNER_LAUNCH_WORKER_H
#define RUNNER_LAUNCH_WORKER_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/launch/child_watch.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

/* What the child does. All of it runs in the child. */
struct worker_job {
    /* Answers one request: an object of its own, or worker_refusal. New reference. */
    json_t *(*answer)(void *context, const json_t *request);
    void (*end)(void *context); /* the last thing, when nothing more is asked; NULL: nothing */
    void *context;
    bool survives; /* it sees to its end also when this process is killed; else it is ended with it,
                      and with whatever a driver started in it */
};

struct worker {
    pid_t pid;                /* 0: none */
    struct child_watch watch; /* of one that does not survive */
    int line;
    struct buffer heard; /* of its answer so far */
};

/* Starts the child. STATUS_FAILED when there is no more room for processes. End it with worker_end. */
enum status worker_start(const struct worker_job *job, struct worker *worker, struct error *error);

/* Asks, and waits so long for the answer (a new reference). What the child refuses comes back as it said.
 * STATUS_FAILED when it ended by itself, with how, or had no answer in time; then it is ended, and nothing
 * more can be asked of it. what: what is asked, for that sentence: "the kernel". */
enum status worker_ask(struct worker *worker, const json_t *request, double timeout_s, const char *what,
                       json_t **answer, struct error *error);

/* Tells the child that nothing more is asked and waits for its end, some seconds; then it is killed. False
 * when it did not end well. A worker of zeros is none. */
bool worker_end(struct worker *worker);

/* In the child: the error as an answer. New reference. */
json_t *worker_refusal(const struct error *error);

#endif
