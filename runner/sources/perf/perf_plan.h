/* Plans which events are counted together, and counts them in one run: a table's metrics and counts are
 * packed into as few runs of the program as the processor's counters allow. The events of one metric are
 * counted in one run. For the counts of the loop alone, the same program runs with fewer and with more
 * passes, and what both runs share (set-up, warm-up, exit) is subtracted. Only perf_count needs a machine
 * with counters. */
#ifndef RUNNER_SOURCES_PERF_PERF_PLAN_H
#define RUNNER_SOURCES_PERF_PERF_PLAN_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/launch/test_program.h"
#include "runner/sources/events/event_table.h"
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

/* The events in the passes by which two runs differ. */
struct perf_difference {
    double count;   /* scaled to all of the time */
    double counted; /* share of the time that the counter was active; 1: always */
};

struct perf_difference perf_subtract(const struct perf_reading *fewer, const struct perf_reading *more);

/* Sums the copies' readings: sum[count] of readings[copies * count]. */
void perf_sum(const struct perf_reading *readings, size_t copies, size_t count, struct perf_reading *sum);

/* The median of the samples, with an interval that covers their spread and the time not counted; limited to
 * [0, 1] for a fraction. */
struct interval perf_interval(const double *samples, size_t count, double counted, bool fraction);

enum { PERF_WANTS = 512, PERF_BUNDLES = 64, PERF_NAMES = 64 };

struct perf_request {
    bool stores;                   /* the program stores: skip metrics for loads only */
    bool shares;                   /* copies share regions: include metrics of coherence */
    bool all_counts;               /* every count of the table, besides the metrics */
    const char *names[PERF_NAMES]; /* counts, events and codes requested by name */
    size_t name_count;
};

/* A countable metric or count. */
struct perf_want {
    const char *name;
    struct event_sum over, under; /* under.count 0: a plain sum */
    bool is_count;
    size_t bundle;
};

/* One run's events, as indices of the table. */
struct perf_bundle {
    int events[PERF_SESSION_EVENTS];
    size_t count;
    unsigned cost; /* counters needed in total */
};

struct perf_plan {
    struct event_table *table;
    const struct perf_host *host;
    struct perf_event_attr attributes[EVENT_TABLE_EVENTS];
    enum { PERF_UNTRIED, PERF_COUNTS, PERF_REFUSED } state[EVENT_TABLE_EVENTS];
    struct perf_want wants[PERF_WANTS];
    size_t want_count;
    struct perf_bundle bundles[PERF_BUNDLES];
    size_t bundle_count;
};

/* Tries every event and packs those that can be counted. *first_reason is that of the first one that cannot,
 * without a message if all can. STATUS_RECIPE when a requested name does not exist; STATUS_UNAVAILABLE when
 * nothing is left. */
enum status perf_plan_make(struct event_table *table, const struct perf_host *host,
                           const struct perf_request *request, struct perf_plan *plan,
                           struct error *first_reason);

/* The bundle as a session, in groups as large as the number of counters or, with apart, one event per
 * group. */
void perf_plan_session(const struct perf_plan *plan, const struct perf_bundle *bundle, bool apart,
                       struct perf_session *session);

#endif
