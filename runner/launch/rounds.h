/* A program that is started once and makes rounds of passes on request: it is set up once, and several such
 * programs can be measured in turn. Source: templates/x86_64/start.s, "- FD". */
#ifndef RUNNER_LAUNCH_ROUNDS_H
#define RUNNER_LAUNCH_ROUNDS_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/process/child_start.h"
#include "runner/process/child_watch.h"

#include <stdbool.h>
#include <stdint.h>

/* All zeros: not started. */
struct rounds {
    bool opened;
    struct child_start start;
    struct child_watch watch;
    int outside;      /* requests are written here */
    unsigned pending; /* rounds that were requested and have not been reported */
    double busy_s;    /* clock_now_s of the first request after a time without pending rounds */
    struct buffer output;
};

/* One round. */
struct round_call {
    uint64_t warmup; /* passes before the timed ones */
    uint64_t passes;
    double timeout_s;
};

/* Starts one copy of the test program, which then waits for requests. Of the call: cpu, and for a copy that
 * shares a file with others share_fd, copy and copies. Close it with rounds_close even after an error.
 * STATUS_UNAVAILABLE when the processor lacks a feature that it needs. */
enum status rounds_open(const struct test_program *test_program, const struct test_program_call *call,
                        struct rounds *rounds, struct error *error);

/* The two halves of rounds_make, for programs that run together: requests a round; waits for the report of
 * the oldest one pending. Several may be requested before the first is reported: each begins when the one
 * before ends. */
void rounds_request(struct rounds *rounds, const struct round_call *call);
enum status rounds_report(struct rounds *rounds, const struct round_call *call,
                          struct test_program_time *time, struct error *error);

/* True if rounds_report need not wait. */
bool rounds_reported(const struct rounds *rounds);

/* Requests a round and waits for the program's report. STATUS_UNAVAILABLE when the program ends without one,
 * as programs of earlier versions do; STATUS_FAILED when it takes too long or reports something else. Then no
 * further round is possible. */
enum status rounds_make(struct rounds *rounds, const struct round_call *call, struct test_program_time *time,
                        struct error *error);

/* Ends the program. */
void rounds_close(struct rounds *rounds);

#endif
