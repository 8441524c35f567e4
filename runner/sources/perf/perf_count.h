/* Counts events over one run of a program, and computes the counts of the loop alone: the same program runs
 * with fewer and with more passes, and what both runs share (set-up, warm-up, exit) is subtracted. Only
 * perf_count needs a machine with counters. */
#ifndef RUNNER_SOURCES_PERF_PERF_COUNT_H
#define RUNNER_SOURCES_PERF_PERF_COUNT_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/launch/test_program.h"
#include "runner/state/perf_host.h"

#include <perfmon/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_SESSION_EVENTS = 32 };

/* Events counted in one run. Events of a group are counted at the same time; several groups take turns on the
 * processor's counters. */
struct perf_session {
    const char *names[PERF_SESSION_EVENTS];
    struct perf_event_attr attributes[PERF_SESSION_EVENTS];
    unsigned group[PERF_SESSION_EVENTS]; /* number of its group; a group's events are adjacent */
    size_t count;
};

/* Runs the test program once and counts the session's events in each of its copies: readings[copy *
 * session->count + event]. STATUS_UNAVAILABLE when they cannot be counted. */
enum status perf_count(const struct test_program *test_program, const struct perf_host *host,
                       const struct perf_session *session, uint64_t iterations, struct perf_reading *readings,
                       struct error *error);

/* The events in the passes by which two runs differ, as far as counted. */
struct perf_difference {
    double count;   /* scaled to all of the time */
    double counted; /* share of the time that the counter was active; 1: always */
};

struct perf_difference perf_subtract(const struct perf_reading *fewer, const struct perf_reading *more);

/* Sums the copies' readings: sum[count] of readings[copies * count]. */
void perf_sum(const struct perf_reading *readings, size_t copies, size_t count, struct perf_reading *sum);

/* The median of the samples with an interval that covers their spread and the time not counted; within [0, 1]
 * when it is a fraction. */
struct interval perf_interval(const double *samples, size_t count, double counted, bool fraction);

#endif
