/* Counts events in a PTX program's measured loop, in a separate process (runner/process/worker.h): it runs
 * the program with no passes, which is the warm-up alone, and with some, and subtracts the counts. */
#ifndef RUNNER_DEVICES_CUPTI_CUPTI_COUNT_H
#define RUNNER_DEVICES_CUPTI_CUPTI_COUNT_H

#include "base/error.h"
#include "runner/launch/test_program.h"

#include <stdint.h>

enum { CUPTI_SAMPLES = 3 };

/* The request and its results. */
struct cupti_counts {
    const char **names; /* CUPTI's metrics */
    size_t count;
    uint64_t passes;                         /* of the loop */
    double *values[CUPTI_SAMPLES];           /* [count] each, over all passes; the caller's */
    double plain_clock_hz, counted_clock_hz; /* of the loop without and with the profiler; NAN: unknown */
    char chip[32];
    unsigned replays; /* runs per sample */
};

/* Runs the test program on its device. STATUS_UNAVAILABLE with the reason when counting is impossible there,
 * STATUS_FAILED when the program failed. */
enum status cupti_count(const struct test_program *test_program, struct cupti_counts *counts,
                        struct error *error);

/* STATUS_OK when CUPTI is on this machine; checked in a separate process, because CUPTI hooks into the
 * driver. */
enum status cupti_is_here(struct error *why_not);

#endif
