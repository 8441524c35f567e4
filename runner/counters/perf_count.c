/* Counting two events over one run of a program, and the arithmetic that leaves only the loop: the same
 * program is run with fewer and with more passes, and what both runs share (set-up, warm-up, exit) is
 * subtracted. */
#include "runner/counters/perf_events.h"

#include "runner/gang.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A difference of fewer events than this is what interrupts and page faults leave, not the loop. */
static const double fewest_events = 1000;

/* Both counters of each copy, to be opened for a child that waits to begin. */
struct session {
    const struct perf_host *host;
    const char *names[2];
    struct perf_event_attr attributes[2];
};

struct watched {
    const struct session *session;
    int descriptors[2]; /* -1: not open */
};

/* runner/child.h, before_start: the first event leads a group, so that both are on the processor at the same
 * times; it begins with the child's exec, and the second follows the leader. */
static enum status attach(pid_t pid, void *context, struct error *error)
{
    struct watched *watched = context;
    const struct session *session = watched->session;
    for (int i = 0; i < 2; i++) {
        int leader = i == 0 ? -1 : watched->descriptors[0];
        struct perf_event_attr attributes = session->attributes[i];
        attributes.disabled = i == 0;
        attributes.enable_on_exec = i == 0;
        long fd = syscall(SYS_perf_event_open, &attributes, pid, -1, leader, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0)
            return perf_refusal(session->host, session->names[i], errno, error);
        watched->descriptors[i] = (int)fd;
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

static enum status read_copy(const struct watched *watched, struct perf_counts *counts, struct error *error)
{
    struct perf_reading *readings[2] = {&counts->numerator, &counts->denominator};
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        status = read_counter(watched->descriptors[i], watched->session->names[i], readings[i], error);
    return status;
}

/* Runs the copies, each with counters of its own. */
static enum status count_copies(struct gang *gang, struct watched *watched, struct perf_counts *counts,
                                struct error *error)
{
    for (size_t i = 0; i < gang->count; i++) {
        gang->copies[i].call.before_start = attach;
        gang->copies[i].call.context = &watched[i];
    }
    enum status status = gang_run(gang, error);
    for (size_t i = 0; i < gang->count && status == STATUS_OK; i++)
        status = read_copy(&watched[i], &counts[i], error);
    for (size_t i = 0; i < 2 * gang->count; i++)
        if (watched[i / 2].descriptors[i % 2] >= 0)
            close(watched[i / 2].descriptors[i % 2]);
    return status;
}

enum status perf_count(const struct subject *subject, const struct perf_host *host,
                       const struct perf_ratio *ratio, uint64_t iterations, struct perf_counts *counts,
                       struct error *error)
{
    struct session session = {.host = host, .names = {ratio->numerator, ratio->denominator}};
    struct gang gang;
    enum status status = gang_open(subject, iterations, 0, &gang, error);
    for (int i = 0; i < 2 && status == STATUS_OK; i++)
        status = perf_event_encode(session.names[i], &session.attributes[i], error);
    struct watched *watched = calloc(gang.count + 1, sizeof *watched);
    if (watched == NULL)
        abort();
    for (size_t i = 0; i < gang.count; i++)
        watched[i] = (struct watched){.session = &session, .descriptors = {-1, -1}};
    if (status == STATUS_OK)
        status = count_copies(&gang, watched, counts, error);
    free(watched);
    gang_close(&gang);
    return status;
}

static void add_reading(struct perf_reading *sum, const struct perf_reading *one)
{
    sum->value += one->value;
    sum->enabled += one->enabled;
    sum->running += one->running;
}

struct perf_counts perf_sum(const struct perf_counts *counts, size_t copies)
{
    struct perf_counts sum = {0};
    for (size_t i = 0; i < copies; i++) {
        add_reading(&sum.numerator, &counts[i].numerator);
        add_reading(&sum.denominator, &counts[i].denominator);
    }
    return sum;
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
