/* What the source "perf" must know to count: which events make a metric, how an event's name becomes what the
 * kernel takes, why the kernel may refuse, and what two runs' counts say of the loop alone. Nothing here
 * needs a machine with counters but perf_count. */
#ifndef RUNNER_COUNTERS_PERF_EVENTS_H
#define RUNNER_COUNTERS_PERF_EVENTS_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/subject.h"

#include <jansson.h>
#include <perfmon/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_RATIOS = 64, PERF_NO_PARANOID = -100 };

/* What decides whether and what this machine counts. */
struct perf_host {
    char vendor[32];
    unsigned family;
    bool hypervisor; /* a virtual machine */
    bool has_pmu;    /* the kernel has a counter unit for the processor */
    int paranoid;    /* perf_event_paranoid; PERF_NO_PARANOID: the kernel has no perf events */
};

void perf_host_read(struct perf_host *host);

/* Takes vendor, family and hypervisor from the text of /proc/cpuinfo. */
void perf_host_parse(const char *cpuinfo, struct perf_host *host);

/* A metric as one event for each of another. */
struct perf_ratio {
    const char *metric;
    const char *numerator; /* a libpfm4 name, or "r" and a raw code in hexadecimal */
    const char *denominator;
};

/* Lists the ratios to try, in order, up to PERF_RATIOS: those of the machine's events table, then the
 * built-in ones of this processor for metrics that the table leaves out. They point into the document and
 * static text. A metric may stand there more than once: the first that can be counted is meant. STATUS_RECIPE
 * when the table is wrong. */
enum status perf_ratios(const json_t *machine, const struct perf_host *host, struct perf_ratio *ratios,
                        size_t *count, struct error *error);

/* Translates a name to what perf_event_open takes, counting user space only. STATUS_UNAVAILABLE when this
 * processor has no event of that name. */
enum status perf_event_encode(const char *name, struct perf_event_attr *attributes, struct error *error);

/* The sentence for perf_event_open's errno. Always STATUS_UNAVAILABLE. */
enum status perf_refusal(const struct perf_host *host, const char *event, int number, struct error *error);

/* One counter as the kernel gives it: times in ns. */
struct perf_reading {
    uint64_t value, enabled, running;
};

struct perf_counts {
    struct perf_reading numerator, denominator;
};

/* Runs the subject once and counts both events of the ratio, which are always on the processor together, in
 * each of its copies: counts[subject_copies]. STATUS_UNAVAILABLE when they cannot be counted. */
enum status perf_count(const struct subject *subject, const struct perf_host *host,
                       const struct perf_ratio *ratio, uint64_t iterations, struct perf_counts *counts,
                       struct error *error);

/* The copies' counts as those of one program. */
struct perf_counts perf_sum(const struct perf_counts *counts, size_t copies);

/* What the passes by which two runs differ did. */
struct perf_sample {
    double ratio;
    double events;  /* of the denominator */
    double counted; /* share of the time that the counters were on the processor; 1: always */
};

/* False when the denominator's difference is too small to divide by. */
bool perf_sample_of(const struct perf_counts *fewer, const struct perf_counts *more,
                    struct perf_sample *sample);

/* The median with an interval that covers the samples' spread and the time not counted; within [0, 1] when
 * the metric is a fraction. */
struct interval perf_interval(const struct perf_sample *samples, size_t count, bool fraction);

#endif
