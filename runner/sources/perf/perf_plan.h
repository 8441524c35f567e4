/* Which events are counted together: a table's metrics and counts, packed into as few runs of the program as
 * the processor's counters allow. The events of one metric are counted in one run. */
#ifndef RUNNER_SOURCES_PERF_PERF_PLAN_H
#define RUNNER_SOURCES_PERF_PERF_PLAN_H

#include "runner/sources/events/event_table.h"
#include "runner/sources/perf/perf_count.h"

enum { PERF_WANTS = 512, PERF_BUNDLES = 64, PERF_ASKED = 64 };

struct perf_request {
    bool stores;                   /* the program stores: skip metrics for loads only */
    bool shares;                   /* copies share regions: metrics of coherence are of use */
    bool all_counts;               /* every count of the table, besides the metrics */
    const char *names[PERF_ASKED]; /* counts, events and codes requested by name */
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

/* Tries every event and packs those that can be counted. *first_reason is that of the first that could not,
 * with a message only if there was one. STATUS_RECIPE when a requested name does not exist;
 * STATUS_UNAVAILABLE when nothing is left. */
enum status perf_plan_make(struct event_table *table, const struct perf_host *host,
                           const struct perf_request *request, struct perf_plan *plan,
                           struct error *first_reason);

/* The bundle as a session, in groups as large as the number of counters or, with apart, one event per
 * group. */
void perf_plan_session(const struct perf_plan *plan, const struct perf_bundle *bundle, bool apart,
                       struct perf_session *session);

#endif
