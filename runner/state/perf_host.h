/* The processor on which the source "perf" counts: its counter unit, the encoding of event names for the
 * kernel, and the kernel's reasons to refuse. Only perf_try needs a machine with counters. */
#ifndef RUNNER_STATE_PERF_HOST_H
#define RUNNER_STATE_PERF_HOST_H

#include "base/arena.h"
#include "base/error.h"

#include <perfmon/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { PERF_NO_PARANOID = -100 };

/* One counter's reading from the kernel: times in ns. */
struct perf_reading {
    uint64_t value, enabled, running;
};

/* The kernel interface, replaceable in tests to simulate counters. open returns a descriptor, or -1 with
 * errno; read returns true when it got the whole reading. */
struct perf_kernel {
    int (*open)(const struct perf_event_attr *attributes, pid_t pid, int cpu, int leader);
    bool (*read)(int fd, struct perf_reading *reading);
};

/* Linux. */
extern const struct perf_kernel perf_linux;

/* The properties that determine which events this machine can count. */
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

/* Sets vendor, family, model and hypervisor from the text of /proc/cpuinfo; cpu as above. Of Arm processors
 * the vendor is MIDR's implementer ("0x41") and the model its part; of RISC-V's, they are mvendorid and the
 * lower half of marchid. */
void perf_host_parse(const char *cpuinfo, int cpu, struct perf_host *host);

/* Translates a name to attributes for perf_event_open that count only user space; raw codes are those of the
 * host's counter unit. STATUS_UNAVAILABLE when this processor has no event of that name. */
enum status perf_event_encode(const struct perf_host *host, const char *name,
                              struct perf_event_attr *attributes, struct error *error);

/* The names of all events that libpfm4's tables have for this host's cores, with each of their masks; NULL
 * ends the list, which is in the arena. */
const char **perf_host_events(struct arena *arena);

/* Opens the event on this process and closes it again. STATUS_UNAVAILABLE with the reason. */
enum status perf_try(const struct perf_host *host, const char *name, const struct perf_event_attr *attributes,
                     struct error *error);

/* The error for perf_event_open's errno. Always STATUS_UNAVAILABLE. */
enum status perf_refusal(const struct perf_host *host, const char *event, int number, struct error *error);

#endif
