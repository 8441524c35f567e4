/* Checking with several processes. Workers query the sources that tolerate other load (simulation,
 * inspection, the plan) about all points, ahead of the process that times the points one after another. */
#ifndef SESSION_EXECUTE_CHECK_WORKERS_H
#define SESSION_EXECUTE_CHECK_WORKERS_H

#include "base/error.h"
#include "runner/evidence/evidence.h"
#include "session/work.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { CHECK_MOST_WORKERS = 256 };

struct check_worker {
    pid_t pid;
    FILE *from; /* its results for its points, in order */
};

/* What is checked, and where it is timed. */
struct check_task {
    const struct work *work;
    const size_t *order;  /* order of the items: indices */
    const char *counters; /* names of sources; NULL: all */
    size_t jobs;          /* processes at a time; 0: one per processor, eight at most */
    int cpu;              /* logical processor used for timing; -1: any */
};

/* All zeros: no workers; the caller does all the work itself. */
struct check_workers {
    struct check_worker *workers; /* worker i has every count-th turn, starting with turn i */
    size_t count;
    struct check_task task;
    bool paused;
    int quiet;                      /* locked by busy workers, and by whoever wants them to pause */
    struct evidence_claims *claims; /* what each leaves to an earlier turn of another */
};

/* Starts as many workers as jobs leaves beside this process, on processors other than cpu if anything is
 * timed; none if there is no other processor or at most one point. Close with check_workers_close even after
 * an error. */
enum status check_workers_open(const struct check_task *task, struct check_workers *workers,
                               struct error *error);

/* False when check_workers_take would wait for the worker. */
bool check_workers_ready(const struct check_workers *workers, size_t turn);

/* Waits until the worker has checked the item of that turn and adds its results to the parts, except answers
 * about the same program that an earlier turn has; take turns in order. STATUS_FAILED when the worker has
 * ended. */
enum status check_workers_take(const struct check_workers *workers, size_t turn, struct evidence_parts *parts,
                               struct error *error);

/* Waits until all workers pause, which they do between two points; they continue after check_workers_resume.
 * Each call does nothing if already in that state. Never wait for a paused worker. */
void check_workers_pause(struct check_workers *workers);
void check_workers_resume(struct check_workers *workers);

/* Ends the workers. */
void check_workers_close(struct check_workers *workers);

#endif
