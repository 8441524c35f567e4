/* Checking with several processes: workers ask the sources that need not be alone on the machine (simulation,
 * inspection, the plan) about all points, ahead of the process that times them one after the other. */
#ifndef CLI_CHECK_WORKERS_H
#define CLI_CHECK_WORKERS_H

#include "base/error.h"
#include "cli/options.h"
#include "cli/work.h"
#include "runner/results/evidence.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { CHECK_MOST_WORKERS = 256 };

struct check_worker {
    pid_t pid;
    FILE *from; /* what it says of its points, in order */
};

/* What is to be looked at, and by whom it is timed. */
struct check_task {
    const struct work *work;
    const size_t *order; /* turns of the items: indices */
    const struct options *options;
    int cpu; /* logical processor that is timed on; -1: any */
};

/* All zeros: no workers, everything is done where it is asked for. */
struct check_workers {
    struct check_worker *workers; /* worker i has every count-th turn, from the i-th on */
    size_t count;
    struct check_task task;
    bool paused;
    int quiet; /* locked by workers while they are busy, and by who wants them to pause */
};

/* Starts as many as -j leaves beside this process, on processors other than cpu where anything is timed;
 * none where that is none or there is no more than one point. Without -j there is a process for each
 * processor that this one may use, eight at most. Close with check_workers_close also after an error. */
enum status check_workers_open(const struct check_task *task, struct check_workers *workers,
                               struct error *error);

/* False when check_workers_take would wait for the worker. */
bool check_workers_ready(const struct check_workers *workers, size_t turn);

/* Waits until the worker has looked at the item whose turn it is and adds what it saw to the parts; turns
 * are taken in order. STATUS_FAILED when the worker has ended. */
enum status check_workers_take(const struct check_workers *workers, size_t turn, struct evidence_parts *parts,
                               struct error *error);

/* Waits until all workers pause, as they do between two points; they go on after check_workers_resume. Either
 * does nothing where it is so already. Nobody is to wait for a worker that pauses. */
void check_workers_pause(struct check_workers *workers);
void check_workers_resume(struct check_workers *workers);

/* Ends them. */
void check_workers_close(struct check_workers *workers);

#endif
