/* A program that is started once and makes rounds of passes when it is asked to: what its set-up costs is
 * paid once, and several such programs can be measured in turn. Source: templates/x86_64/start.s, "- FD". */
#ifndef RUNNER_LAUNCH_ROUNDS_H
#define RUNNER_LAUNCH_ROUNDS_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/launch/child_start.h"
#include "runner/launch/child_watch.h"
#include "runner/launch/test_program.h"

#include <stdbool.h>
#include <stdint.h>

/* All zeros is a program that was not started. */
struct rounds {
    bool opened;
    struct child_start start;
    struct child_watch watch;
    int outside; /* where rounds are asked for */
    struct buffer output;
};

/* What one round is. */
struct round_call {
    uint64_t warmup; /* passes before those that are timed */
    uint64_t passes;
    double timeout_s;
};

/* Starts one copy of the test program on the processor (-1: any) and leaves it waiting. Close it with
 * rounds_close also after an error. STATUS_UNAVAILABLE when the processor lacks what it needs. */
enum status rounds_open(const struct test_program *test_program, int cpu, struct rounds *rounds,
                        struct error *error);

/* Asks for a round and waits for what the program says of it. STATUS_UNAVAILABLE when it ends without a word,
 * as programs of earlier versions do; STATUS_FAILED when it takes too long or says something else. Then no
 * further round can be asked for. */
enum status rounds_make(struct rounds *rounds, const struct round_call *call, struct test_program_time *time,
                        struct error *error);

/* Ends the program. */
void rounds_close(struct rounds *rounds);

#endif
