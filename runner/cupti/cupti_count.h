/* Counters of a PTX program's measured loop, in a process of its own (runner/launch/worker.h): the program is
 * run with no passes, which is its warm-up alone, and with some, and the counts are subtracted. */
#ifndef RUNNER_CUPTI_CUPTI_COUNT_H
#define RUNNER_CUPTI_CUPTI_COUNT_H

#include "base/error.h"
#include "runner/launch/test_program.h"

#include <stdint.h>

enum { CUPTI_SAMPLES = 3 };

/* What is wanted, and what was counted. */
struct cupti_counts {
    const char **names; /* CUPTI's metrics */
    size_t count;
    uint64_t passes;                         /* of the loop */
    double *values[CUPTI_SAMPLES];           /* [count] each, of all passes; the caller's */
    double plain_clock_hz, counted_clock_hz; /* of the loop without and with the profiler; NAN: not told */
    char chip[32];
    unsigned replays; /* runs that each sample took */
};

/* Runs test program's program on its device. STATUS_UNAVAILABLE with the reason when it cannot be counted
 * there, STATUS_FAILED when the program failed. */
enum status cupti_count(const struct test_program *test_program, struct cupti_counts *counts,
                        struct error *error);

/* STATUS_OK when CUPTI is on this machine; looked up in a process of its own, as it hooks into the driver. */
enum status cupti_is_here(struct error *why_not);

#endif
