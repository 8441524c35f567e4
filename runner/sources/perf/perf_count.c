#include "runner/sources/perf/perf_count.h"

#include "base/memory.h"
#include "runner/measure/process_group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        int fd = watched->host->kernel->open(&attributes, pid, leads ? -1 : leader);
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
