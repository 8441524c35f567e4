/* Packing: each want goes into the first run whose events, together with its own, fit the counters. A want
 * that needs more counters than there are gets its own run, in which groups are multiplexed. */
#include "runner/sources/perf/perf_plan.h"

#include "base/memory.h"
#include "runner/measure/process_group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a run ---- */

/* The counters of one copy, opened for a child that waits to begin. */
struct watched_copy {
    const struct perf_host *host;
    const struct perf_session *session;
    int descriptors[PERF_SESSION_EVENTS]; /* -1: not open */
};

/* Called as before_start (runner/process/child.h): the first event of a group leads it and begins with the
 * child's exec; the others follow the leader. */
static enum status attach(pid_t pid, void *context, struct error *error)
{
    struct watched_copy *watched = context;
    const struct perf_session *session = watched->session;
    int leader = -1;
    for (size_t i = 0; i < session->count; i++) {
        bool leads = i == 0 || session->group[i] != session->group[i - 1];
        struct perf_event_attr attributes = session->attributes[i];
        attributes.disabled = leads;
        attributes.enable_on_exec = leads;
        int fd = watched->host->kernel->open(&attributes, pid, -1, leads ? -1 : leader);
        if (fd < 0)
            return perf_refusal(watched->host, session->names[i], errno, error);
        watched->descriptors[i] = fd;
        leader = leads ? fd : leader;
    }
    return STATUS_OK;
}

static enum status read_counter(const struct watched_copy *watched, size_t number,
                                struct perf_reading *reading, struct error *error)
{
    const char *name = watched->session->names[number];
    if (!watched->host->kernel->read(watched->descriptors[number], reading))
        return error_set(error, STATUS_UNAVAILABLE, "cannot read the counter of \"%s\": %s", name,
                         strerror(errno));
    if (reading->running > 0)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "\"%s\" was not counted: it never got a hardware counter", name);
    error_hint(error, "end other profilers; `sudo sysctl kernel.nmi_watchdog=0` frees the kernel's counter");
    return STATUS_UNAVAILABLE;
}

/* Runs the copies, each with its own counters. */
static enum status count_copies(struct process_group *process_group, struct watched_copy *watched,
                                struct perf_reading *readings, struct error *error)
{
    for (size_t i = 0; i < process_group->count; i++) {
        process_group->copies[i].call.before_start = attach;
        process_group->copies[i].call.context = &watched[i];
    }
    enum status status = process_group_run(process_group, error);
    for (size_t i = 0; i < process_group->count; i++)
        for (size_t j = 0; j < watched[i].session->count; j++) {
            if (status == STATUS_OK)
                status = read_counter(&watched[i], j, &readings[i * watched[i].session->count + j], error);
            if (watched[i].descriptors[j] >= 0)
                close(watched[i].descriptors[j]);
        }
    return status;
}

enum status perf_count(const struct test_program *test_program, const struct perf_host *host,
                       const struct perf_session *session, uint64_t iterations, struct perf_reading *readings,
                       struct error *error)
{
    struct process_group process_group;
    enum status status = process_group_open(test_program, iterations, 0, &process_group, error);
    struct watched_copy *watched = memory_zeroed(process_group.count + 1, sizeof *watched);
    for (size_t i = 0; i < process_group.count; i++) {
        watched[i] = (struct watched_copy){.host = host, .session = session};
        for (size_t j = 0; j < PERF_SESSION_EVENTS; j++)
            watched[i].descriptors[j] = -1;
    }
    if (status == STATUS_OK)
        status = count_copies(&process_group, watched, readings, error);
    free(watched);
    process_group_close(&process_group);
    return status;
}

void perf_sum(const struct perf_reading *readings, size_t copies, size_t count, struct perf_reading *sum)
{
    memset(sum, 0, count * sizeof *sum);
    for (size_t i = 0; i < copies * count; i++) {
        struct perf_reading *one = &sum[i % count];
        one->value += readings[i].value;
        one->enabled += readings[i].enabled;
        one->running += readings[i].running;
    }
}

/* Scales a count to the whole time, as if the counter had been on the processor throughout. */
static double scaled(const struct perf_reading *reading)
{
    return reading->running > 0 ? (double)reading->value * (double)reading->enabled / (double)reading->running
                                : 0;
}

static double share_counted(const struct perf_reading *reading)
{
    return reading->enabled > 0 ? (double)reading->running / (double)reading->enabled : 0;
}

struct perf_difference perf_subtract(const struct perf_reading *fewer, const struct perf_reading *more)
{
    double first = share_counted(fewer);
    double second = share_counted(more);
    return (struct perf_difference){.count = scaled(more) - scaled(fewer),
                                    .counted = first < second ? first : second};
}

static double limit(double value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

struct interval perf_interval(const double *samples, size_t count, double counted, bool fraction)
{
    struct interval interval = stats_repeated(samples, count);
    /* While the counters were off the processor nothing was observed. The loop is uniform, so the count of
     * that time is assumed to differ from the observed one by at most its share of the time. */
    double unseen = (1 - counted) * (interval.value < 0 ? -interval.value : interval.value);
    interval.low -= unseen;
    interval.high += unseen;
    if (fraction) { /* noise may put a difference slightly outside */
        interval.value = limit(interval.value);
        interval.low = limit(interval.low);
        interval.high = limit(interval.high);
    }
    return interval;
}

/* ---- events ---- */

static bool event_counts(struct perf_plan *plan, int event, struct error *first_reason)
{
    if (event < 0)
        return true;
    if (plan->state[event] != PERF_UNTRIED)
        return plan->state[event] == PERF_COUNTS;
    const char *code = plan->table->events[event].code;
    struct error reason = {.code = STATUS_OK};
    struct perf_event_attr *attributes = &plan->attributes[event];
    const char *refused = plan->table->events[event].refused;
    enum status status = refused != NULL ? error_set(&reason, STATUS_UNAVAILABLE,
                                                     "\"%s\" does not count what its name states: %s",
                                                     plan->table->events[event].name, refused)
                                         : perf_event_encode(plan->host, code, attributes, &reason);
    if (status == STATUS_OK)
        status = perf_try(plan->host, code, attributes, &reason);
    plan->state[event] = status == STATUS_OK ? PERF_COUNTS : PERF_REFUSED;
    if (status != STATUS_OK && first_reason->message[0] == '\0')
        *first_reason = reason;
    return status == STATUS_OK;
}

static bool sum_counts(struct perf_plan *plan, const struct event_sum *sum, struct error *first_reason)
{
    bool all = true;
    for (size_t i = 0; i < sum->count; i++)
        all = event_counts(plan, sum->terms[i].event, first_reason) && all;
    return all;
}

/* ---- packing ---- */

static unsigned cost_of(const struct perf_plan *plan, int event)
{
    bool free = plan->table->events[event].fixed || plan->attributes[event].type == PERF_TYPE_SOFTWARE;
    return free ? 0 : 1;
}

static void add_event(const struct perf_plan *plan, struct perf_bundle *bundle, int event)
{
    for (size_t i = 0; i < bundle->count; i++)
        if (bundle->events[i] == event)
            return;
    if (event < 0 || bundle->count == PERF_SESSION_EVENTS)
        return;
    bundle->events[bundle->count++] = event;
    bundle->cost += cost_of(plan, event);
}

/* False, with the bundle unchanged, if the want's events do not fit beside the present ones. */
static bool add_want(const struct perf_plan *plan, struct perf_bundle *bundle, const struct perf_want *want)
{
    struct perf_bundle with = *bundle;
    for (size_t i = 0; i < want->over.count; i++)
        add_event(plan, &with, want->over.terms[i].event);
    for (size_t i = 0; i < want->under.count; i++)
        add_event(plan, &with, want->under.terms[i].event);
    bool crowded = with.cost > plan->table->counters || with.count == PERF_SESSION_EVENTS;
    if (crowded && bundle->count > 0)
        return false;
    *bundle = with;
    return true;
}

static void place_want(struct perf_plan *plan, struct perf_want *want)
{
    for (size_t i = 0; i < PERF_BUNDLES; i++) {
        if (!add_want(plan, &plan->bundles[i], want))
            continue;
        want->bundle = i;
        plan->bundle_count = i >= plan->bundle_count ? i + 1 : plan->bundle_count;
        plan->wants[plan->want_count++] = *want;
        return;
    }
}

static bool has_want(const struct perf_plan *plan, const char *name, bool is_count)
{
    for (size_t i = 0; i < plan->want_count; i++)
        if (plan->wants[i].is_count == is_count && strcmp(plan->wants[i].name, name) == 0)
            return true;
    return false;
}

static void consider(struct perf_plan *plan, struct perf_want want, struct error *first_reason)
{
    if (plan->want_count == PERF_WANTS || has_want(plan, want.name, want.is_count))
        return;
    bool over = sum_counts(plan, &want.over, first_reason);
    if (sum_counts(plan, &want.under, first_reason) && over)
        place_want(plan, &want);
}

/* ---- the plan ---- */

/* Considers the user's names first: they must be available, and their reason is the one to report. */
static enum status consider_names(struct perf_plan *plan, const struct perf_request *request,
                                  struct error *first_reason)
{
    for (size_t i = 0; i < request->name_count; i++) {
        struct perf_want want = {.name = request->names[i], .is_count = true};
        struct error error;
        if (event_table_sum(plan->table, want.name, &want.over, &error) != STATUS_OK) {
            *first_reason = error;
            return error.code;
        }
        consider(plan, want, first_reason);
    }
    return STATUS_OK;
}

enum status perf_plan_make(struct event_table *table, const struct perf_host *host,
                           const struct perf_request *request, struct perf_plan *plan,
                           struct error *first_reason)
{
    memset(plan, 0, sizeof *plan);
    memset(first_reason, 0, sizeof *first_reason);
    plan->table = table;
    plan->host = host;
    enum status status = consider_names(plan, request, first_reason);
    for (size_t i = 0; status == STATUS_OK && i < table->ratio_count; i++) {
        const struct event_ratio *ratio = &table->ratios[i];
        if (!request->shares && strncmp(ratio->metric, "coherence.", strlen("coherence.")) == 0)
            continue;
        if (!ratio->loads_only || !request->stores)
            consider(plan, (struct perf_want){ratio->metric, ratio->over, ratio->under, false, 0},
                     first_reason);
    }
    for (size_t i = 0; status == STATUS_OK && request->all_counts && i < table->total_count; i++)
        consider(
            plan,
            (struct perf_want){.name = table->totals[i].name, .over = table->totals[i].sum, .is_count = true},
            first_reason);
    if (status != STATUS_OK || plan->want_count > 0)
        return status;
    if (first_reason->message[0] == '\0')
        error_set(first_reason, STATUS_UNAVAILABLE, "no events file has anything for this processor");
    return STATUS_UNAVAILABLE;
}

void perf_plan_session(const struct perf_plan *plan, const struct perf_bundle *bundle, bool apart,
                       struct perf_session *session)
{
    unsigned group = 0;
    unsigned used = 0;
    session->count = bundle->count;
    for (size_t i = 0; i < bundle->count; i++) {
        unsigned cost = cost_of(plan, bundle->events[i]);
        if (i > 0 && (apart || used + cost > plan->table->counters)) {
            group++;
            used = 0;
        }
        used += cost;
        session->names[i] = plan->table->events[bundle->events[i]].code;
        session->attributes[i] = plan->attributes[bundle->events[i]];
        session->group[i] = group;
    }
}
