/* The machine at one moment, as /proc and /sys tell it below a root folder: two of them say what went on in
 * between. */
#ifndef RUNNER_CONDITIONS_SNAPSHOT_H
#define RUNNER_CONDITIONS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

/* A logical processor's time since the system began, in seconds. */
struct cpu_time {
    bool known;
    double busy_s;  /* of programs, the kernel and interrupts */
    double steal_s; /* that the hypervisor gave to others */
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
    struct cpu_time *cpus; /* by the system's number */
    size_t cpu_count;
    struct process_time *processes; /* by pid; only if they were asked for */
    size_t process_count;
    double hottest_c; /* of all thermometers; NAN: there is none */
    double throttled; /* times that a processor was throttled by its heat, of all; NAN: not told */
};

void snapshot_take(const char *root, bool with_processes, struct snapshot *snapshot);

void snapshot_free(struct snapshot *snapshot);

/* The processor's share of time from one snapshot to a later one; NAN where no time went by there. */
double snapshot_busy(const struct snapshot *before, const struct snapshot *now, int cpu);
double snapshot_steal(const struct snapshot *before, const struct snapshot *now, int cpu);

/* The program that took most of the processor in between, but for this one, with its share in *share; NULL
 * when none took any. */
const struct process_time *snapshot_hog(const struct snapshot *before, const struct snapshot *now, int cpu,
                                        double *share);

/* The file's first line below the root, without its end. False when there is none. */
__attribute__((format(printf, 4, 5))) bool snapshot_line(const char *root, char *line, size_t capacity,
                                                         const char *path, ...);

#endif
