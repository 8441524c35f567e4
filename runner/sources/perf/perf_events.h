/* What the source "perf" needs to count: the processor and its counter unit, the encoding of event names for
 * the kernel, the kernel's reasons to refuse, and the loop's counts from the difference of two runs. Only
 * perf_count and perf_try need a machine with counters. */
#ifndef RUNNER_SOURCES_PERF_PERF_EVENTS_H
#define RUNNER_SOURCES_PERF_PERF_EVENTS_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/launch/test_program.h"

#include <jansson.h>
#include <perfmon/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_NO_PARANOID = -100, PERF_SESSION_EVENTS = 32 };

/* One counter's reading from the kernel: times in ns. */
struct perf_reading {
    uint64_t value, enabled, running;
};

/* The kernel interface, replaceable in tests to simulate counters. Each function as the system call of that
 * name: open returns a descriptor, or -1 with errno; read returns true when it got the whole reading. */
struct perf_kernel {
    int (*open)(const struct perf_event_attr *attributes, pid_t pid, int leader);
    bool (*read)(int fd, struct perf_reading *reading);
};

/* Linux. */
extern const struct perf_kernel perf_linux;

/* What determines whether and what this machine can count. */
struct perf_host {
    char vendor[32];
    unsigned family, model;
    char pmu[32];      /* the counter unit of the measured processor: "cpu", "cpu_core", "cpu_atom" */
    unsigned pmu_type; /* its number in perf_event_attr.type */
    bool hypervisor;   /* a virtual machine */
    bool has_pmu;      /* the kernel has a counter unit for the processor */
    int paranoid;      /* perf_event_paranoid; PERF_NO_PARANOID: the kernel has no perf events */
    const struct perf_kernel *kernel;
};

/* cpu: the logical processor to measure on; -1: any. root: "" or the folder that stands for /. */
void perf_host_read(struct perf_host *host, int cpu, const char *root);

/* Takes vendor, family, model and hypervisor from the text of /proc/cpuinfo. */
void perf_host_parse(const char *cpuinfo, struct perf_host *host);

/* Translates a name to perf_event_open's attributes, counting user space only; raw codes belong to the host's
 * counter unit. STATUS_UNAVAILABLE when this processor has no event of that name. */
enum status perf_event_encode(const struct perf_host *host, const char *name,
                              struct perf_event_attr *attributes, struct error *error);

/* Opens the event on this process and closes it again. STATUS_UNAVAILABLE with the reason. */
enum status perf_try(const struct perf_host *host, const char *name, const struct perf_event_attr *attributes,
                     struct error *error);

/* The error for perf_event_open's errno. Always STATUS_UNAVAILABLE. */
enum status perf_refusal(const struct perf_host *host, const char *event, int number, struct error *error);

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
