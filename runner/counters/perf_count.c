/* Counting two events over one run of a program, and the arithmetic that leaves only the loop: the same
 * program is run with fewer and with more passes, and what both runs share (set-up, warm-up, exit) is
 * subtracted. */
#include "runner/counters/perf_events.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A difference of fewer events than this is what interrupts and page faults leave, not the loop. */
static const double fewest_events = 1000;

/* Both counters, to be opened for a child that waits to begin. */
struct session {
    const struct perf_host *host;
    const char *names[2];
    struct perf_event_attr attributes[2];
    int descriptors[2]; /* -1: not open */
};

/* runner/child.h, before_start: the first event leads a group, so that both are on the processor at the same
 * times; it begins with the child's exec, and the second follows the leader. */
static enum status attach(pid_t pid, void *context, struct error *error)
{
    struct session *session = context;
    for (int i = 0; i < 2; i++) {
        int leader = i == 0 ? -1 : session->descriptors[0];
        session->attributes[i].disabled = i == 0;
        session->attributes[i].enable_on_exec = i == 0;
        long fd =
            syscall(SYS_perf_event_open, &session->attributes[i], pid, -1, leader, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0)
            return perf_refusal(session->host, session->names[i], errno, error);
        session->descriptors[i] = (int)fd;
    }
    return STATUS_OK;
}

static enum status read_counter(int fd, const char *name, struct perf_reading *reading, struct error *error)
{
    uint64_t words[3];
    if (read(fd, words, sizeof words) != sizeof words)
        return error_set(error, STATUS_UNAVAILABLE, "cannot read the counter of \"%s\": %s", name,
                         strerror(errno));
    *reading = (struct perf_reading){.value = words[0], .enabled = words[1], .running = words[2]};
    if (reading->running > 0)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "\"%s\" was not counted: it never got a counter of the processor",
              name);
    error_hint(error,
               "end other profilers; `sudo sysctl kernel.nmi_watchdog=0` frees the kernel's own counter");
    return STATUS_UNAVAILABLE;
}

enum status perf_count(const struct subject *subject, const struct perf_host *host,
                       const struct perf_ratio *ratio, uint64_t iterations, struct perf_counts *counts,
                       struct error *error)
{
    struct session session = {
        .host = host, .names = {ratio->numerator, ratio->denominator}, .descriptors = {-1, -1}};
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        status = perf_event_encode(session.names[i], &session.attributes[i], error);
    uint64_t ticks;
    if (status == STATUS_OK)
        status = subject_run_watched(subject, iterations, 0, attach, &session, &ticks, error);
    struct perf_reading *readings[2] = {&counts->numerator, &counts->denominator};
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        status = read_counter(session.descriptors[i], session.names[i], readings[i], error);
    for (int i = 0; i < 2; i++) {
        if (session.descriptors[i] >= 0)
            close(session.descriptors[i]);
    }
    return status;
}

/* What the counter would have shown had it been on the processor all the time. */
static double scaled(const struct perf_reading *reading)
{
    return reading->running > 0 ? (double)reading->value * (double)reading->enabled / (double)reading->running
                                : 0;
}

static double share_counted(const struct perf_counts *counts)
{
    return counts->denominator.enabled > 0
               ? (double)counts->denominator.running / (double)counts->denominator.enabled
               : 0;
}

bool perf_sample_of(const struct perf_counts *fewer, const struct perf_counts *more,
                    struct perf_sample *sample)
{
    double denominator = scaled(&more->denominator) - scaled(&fewer->denominator);
    if (denominator < fewest_events)
        return false;
    sample->events = denominator;
    sample->ratio = (scaled(&more->numerator) - scaled(&fewer->numerator)) / denominator;
    double first = share_counted(fewer);
    double second = share_counted(more);
    sample->counted = first < second ? first : second;
    return true;
}

static double limit(double value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

struct interval perf_interval(const struct perf_sample *samples, size_t count, bool fraction)
{
    double ratios[64];
    double counted = 1;
    double events = 0;
    if (count > sizeof ratios / sizeof ratios[0])
        count = sizeof ratios / sizeof ratios[0];
    for (size_t i = 0; i < count; i++) {
        ratios[i] = samples[i].ratio;
        events += samples[i].events;
        counted = samples[i].counted < counted ? samples[i].counted : counted;
    }
    struct interval interval = stats_bootstrap(ratios, count);
    /* Nothing is known of the time in which the counters were not on the processor. The loop is the same
     * throughout, so that part is taken to differ from what was seen by no more than its share of the time.
     */
    double unseen = (1 - counted) * interval.value;
    interval.low -= unseen;
    interval.high += unseen;
    if (fraction) { /* a difference of noise may lie a little outside */
        interval.value = limit(interval.value);
        interval.low = limit(interval.low);
        interval.high = limit(interval.high);
    }
    interval.n = (size_t)events;
    return interval;
}
