/* A program that is started once and runs rounds of passes on request: its set-up is paid once, and several
 * such programs can be measured in turn. Source: templates/x86_64/start.s, "- FD". */
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
    int outside;    /* requests are written here */
    double asked_s; /* clock_now_s, when none was under way */
    unsigned asked; /* rounds that were asked for and not heard of */
    struct buffer output;
};

/* One round. */
struct round_call {
    uint64_t warmup; /* passes before the timed ones */
    uint64_t passes;
    double timeout_s;
};

/* Starts one copy of the test program on the processor (-1: any) and lets it wait. Close it with rounds_close
 * even after an error. STATUS_UNAVAILABLE when the processor lacks what it needs. */
enum status rounds_open(const struct test_program *test_program, int cpu, struct rounds *rounds,
                        struct error *error);

/* The same for a copy that shares a file with others: cpu, share_fd, copy and copies of the call. */
enum status rounds_open_copy(const struct test_program *test_program, const struct test_program_call *call,
                             struct rounds *rounds, struct error *error);

/* Requests a round of programs that run together, and waits for one's report; errors as of rounds_make.
 * Several may be asked for before the first is heard of: each begins when the one before ends. */
void rounds_ask(struct rounds *rounds, const struct round_call *call);
enum status rounds_hear(struct rounds *rounds, const struct round_call *call, struct test_program_time *time,
                        struct error *error);

/* True if a round's report can be heard without waiting. */
bool rounds_heard(const struct rounds *rounds);

/* Requests a round and waits for the program's report. STATUS_UNAVAILABLE when it ends without one, as
 * programs of earlier versions do; STATUS_FAILED when it takes too long or reports something else. Then no
 * further round is possible. */
enum status rounds_make(struct rounds *rounds, const struct round_call *call, struct test_program_time *time,
                        struct error *error);

/* Ends the program. */
void rounds_close(struct rounds *rounds);

#endif
