/* The machine's activity counters at one moment, from /proc and /sys below a root folder; the difference of
 * two snapshots is the activity in between. */
#ifndef RUNNER_CONDITIONS_SNAPSHOT_H
#define RUNNER_CONDITIONS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

/* A logical processor's time since boot, in seconds. */
struct cpu_time {
    bool known;
    double busy_s;  /* in programs, the kernel and interrupts */
    double steal_s; /* given to others by the hypervisor */
    double all_s;
};

enum { PROCESS_NAME_BYTES = 32 };

struct process_time {
    int pid;
    int cpu; /* where it ran last */
    double busy_s;
    char name[PROCESS_NAME_BYTES];
};

/* Freed with snapshot_free. */
struct snapshot {
    double t_s;            /* clock_now_s */
    struct cpu_time *cpus; /* by the system's numbering */
    size_t cpu_count;
    struct process_time *processes; /* by pid; only if requested */
    size_t process_count;
    double hottest_c; /* of all thermometers; NAN: none */
    double throttled; /* thermal throttling events of all processors; NAN: unknown */
};

void snapshot_take(const char *root, bool with_processes, struct snapshot *snapshot);

void snapshot_free(struct snapshot *snapshot);

/* The processor's share of time between two snapshots; NAN if no time passed there. */
double snapshot_busy(const struct snapshot *before, const struct snapshot *now, int cpu);
double snapshot_steal(const struct snapshot *before, const struct snapshot *now, int cpu);

/* The process, except this one, that used most of the processor in between, with its share in *share; NULL
 * when none used any. */
const struct process_time *snapshot_hog(const struct snapshot *before, const struct snapshot *now, int cpu,
                                        double *share);

/* The first line of the file below the root, without its newline. False when there is none. */
__attribute__((format(printf, 4, 5))) bool snapshot_line(const char *root, char *line, size_t capacity,
                                                         const char *path, ...);

#endif
