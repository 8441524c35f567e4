/* What the source "perf" must know to count: the processor and its counter unit, how an event's name becomes
 * what the kernel takes, why the kernel may refuse, and what two runs' counts say of the loop alone. Nothing
 * here needs a machine with counters but perf_count and perf_try. */
#ifndef RUNNER_SOURCES_PERF_EVENTS_H
#define RUNNER_SOURCES_PERF_EVENTS_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/launch/test_program.h"

#include <jansson.h>
#include <perfmon/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERF_NO_PARANOID = -100, PERF_SESSION_EVENTS = 32 };

/* One counter as the kernel gives it: times in ns. */
struct perf_reading {
    uint64_t value, enabled, running;
};

/* The kernel's part, so that tests can be one with counters. Each as the system call of that name: open gives
 * a descriptor or -1 with errno, read true when the whole reading came. */
struct perf_kernel {
    int (*open)(const struct perf_event_attr *attributes, pid_t pid, int leader);
    bool (*read)(int fd, struct perf_reading *reading);
};

/* Linux. */
extern const struct perf_kernel perf_linux;

/* What decides whether and what this machine counts. */
struct perf_host {
    char vendor[32];
    unsigned family, model;
    char pmu[32];      /* the counter unit of the processor measured on: "cpu", "cpu_core", "cpu_atom" */
    unsigned pmu_type; /* what the kernel calls it in perf_event_attr.type */
    bool hypervisor;   /* a virtual machine */
    bool has_pmu;      /* the kernel has a counter unit for the processor */
    int paranoid;      /* perf_event_paranoid; PERF_NO_PARANOID: the kernel has no perf events */
    const struct perf_kernel *kernel;
};

/* cpu: the logical processor that is measured on; -1: any. root: "" or the folder that stands for /. */
void perf_host_read(struct perf_host *host, int cpu, const char *root);

/* Takes vendor, family, model and hypervisor from the text of /proc/cpuinfo. */
void perf_host_parse(const char *cpuinfo, struct perf_host *host);

/* Translates a name to what perf_event_open takes, counting user space only; raw codes are those of the
 * host's counter unit. STATUS_UNAVAILABLE when this processor has no event of that name. */
enum status perf_event_encode(const struct perf_host *host, const char *name,
                              struct perf_event_attr *attributes, struct error *error);

/* Opens the event on this process and closes it again. STATUS_UNAVAILABLE with the reason. */
enum status perf_try(const struct perf_host *host, const char *name, const struct perf_event_attr *attributes,
                     struct error *error);

/* The sentence for perf_event_open's errno. Always STATUS_UNAVAILABLE. */
enum status perf_refusal(const struct perf_host *host, const char *event, int number, struct error *error);

/* Events counted in one run. Those of a group are on the processor at the same times; several groups share
 * its counters in turns. */
struct perf_session {
    const char *names[PERF_SESSION_EVENTS];
    struct perf_event_attr attributes[PERF_SESSION_EVENTS];
    unsigned group[PERF_SESSION_EVENTS]; /* number of its group; those of one stand together */
    size_t count;
};

/* Runs the test program once and counts the session's events in each of its copies:
 * readings[copy * session->count + event]. STATUS_UNAVAILABLE when they cannot be counted. */
enum status perf_count(const struct test_program *test_program, const struct perf_host *host,
                       const struct perf_session *session, uint64_t iterations, struct perf_reading *readings,
                       struct error *error);

/* What the passes by which two runs differ did, as far as it was counted. */
struct perf_difference {
    double count;   /* scaled to all of the time */
    double counted; /* share of the time that the counter was on the processor; 1: always */
};

struct perf_difference perf_subtract(const struct perf_reading *fewer, const struct perf_reading *more);

/* Sums the copies' readings as those of one program: sum[count] of readings[copies * count]. */
void perf_sum(const struct perf_reading *readings, size_t copies, size_t count, struct perf_reading *sum);

/* The median of the samples with an interval that covers their spread and the time not counted; within [0, 1]
 * when it is a fraction. */
struct interval perf_interval(const double *samples, size_t count, double counted, bool fraction);

#endif
