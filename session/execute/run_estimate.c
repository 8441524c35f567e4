#include "session/execute/run_estimate.h"

#include "base/clock.h"
#include "base/text/names.h"
#include "runner/sources/timing/timing_source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Processor seconds, measured on an AMD EPYC of 3.7 GHz with the shipped recipes. */
static const double PROGRAM_S = 0.09;  /* making, inspecting, simulating and first runs of a small program */
static const double LOOP_S = 0.1;      /* its timing beside a chain of additions */
static const double WALK_S = 0.35;     /* the same of a walk */
static const double BRANCHES_S = 0.35; /* beside loops without branches, and with only random ones */
static const double CHASE_S = 0.5;     /* beside chases of two levels */
static const double CHASE_L3_S = 1.4;
static const double CHASE_MEM_S = 2.5;
static const double SIMULATE_S = 0.06;
static const double DEVICE_S = 0.7;
static const double CALIBRATE_S = 2.5;

/* Finding how many passes take a given time: some runs of the program, with loops of some times the length of
 * its start (runner/measure/pace.c). */
static const double PACE_STARTS = 10;
static const double TOUCH_S_BYTE = 0.15e-9; /* where it is not measured */

struct estimate_program estimate_look(const struct test_program *test_program, const char *counters,
                                      bool calibrated)
{
    const struct manifest *manifest = test_program->manifest;
    struct timing_bound bound = timing_find_bound(manifest);
    struct estimate_program program = {
        .bytes = manifest->data.bytes * (double)test_program_copies(test_program),
        .on_device = test_program_is_on_device(test_program),
        .branches = bound.bound == BOUND_BRANCHES,
        .chase = bound.bound == BOUND_LATENCY,
        .level = (int)bound.levels.high,
        .timed = test_program->machine->present && names_contain(counters, "timing"),
        .calibrated = calibrated};
    for (size_t i = 0; i < manifest->unit_count; i++)
        program.walk = program.walk || manifest->unit[i].working_set > 0;
    return program;
}

static double timing_s(const struct estimate_program *program, double start_s)
{
    if (!program->timed)
        return 0;
    if (program->chase)
        return program->level == LEVEL_MEM ? CHASE_MEM_S : program->level == LEVEL_L3 ? CHASE_L3_S : CHASE_S;
    if (program->branches)
        return BRANCHES_S;
    return (program->walk ? WALK_S : LOOP_S) + PACE_STARTS * start_s;
}

double estimate_point_s(const struct estimate_program *program, const struct protocol *protocol,
                        const struct estimate_host *host)
{
    double start_s = program->bytes * host->touch_s_byte;
    double busy_s = PROGRAM_S + SIMULATE_S + timing_s(program, start_s) +
                    (PACE_STARTS + protocol->reps) * start_s + (program->calibrated ? CALIBRATE_S : 0);
    return protocol_seconds(protocol) + (program->on_device ? DEVICE_S : busy_s * host->slowdown);
}

/* ---- this machine now ---- */

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Processes that want a processor now, this one among them, per processor; 0 if the system does not say. */
static double count_running(void)
{
    double running = 0;
    FILE *file = fopen("/proc/loadavg", "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%*f %*f %*f %lf", &running) != 1)
        running = 0;
    fclose(file);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? running / (double)processors : 0;
}

/* A process that has just begun gets more than its share for a while, so that the spin alone tells too little
 * of a busy machine. */
static double measure_slowdown(void)
{
    static const double SPIN_S = 0.02, LONGEST_S = 0.4;
    static const double WAITS = 0.7; /* work shorter than a scheduler's slice waits less than its turn */
    double own = clock_s(CLOCK_THREAD_CPUTIME_ID), wall = clock_now_s(), spun = 0, before = count_running();
    while (spun < SPIN_S && clock_now_s() - wall < LONGEST_S)
        spun = clock_s(CLOCK_THREAD_CPUTIME_ID) - own;
    double spin = (clock_now_s() - wall) / fmax(spun, 1e-3);
    return fmax(1, fmax(spin, WAITS * (before + count_running()) / 2));
}

/* Touches a page in each 4 KiB, as large pages as there are, until the time is over; returns the bytes. */
static size_t touch(volatile char *memory, size_t bytes, double longest_s)
{
    enum { PAGE = 4096, LOOK = 1 << 20 };
    double begin_s = clock_now_s();
    size_t at = 0;
    for (; at < bytes; at += PAGE) {
        if (at % LOOK == 0 && clock_now_s() - begin_s > longest_s)
            break;
        memory[at] = 1;
    }
    return at < bytes ? at : bytes;
}

/* Memory that was touched once is given faster the second time, unless the host takes it back meanwhile. */
static void measure_memory(double most_bytes, struct estimate_host *host)
{
    static const double LEAST_BYTES = 32 << 20, MOST_BYTES = 1 << 30, LONGEST_S = 0.4;
    size_t bytes = (size_t)fmin(most_bytes, MOST_BYTES);
    if (most_bytes < LEAST_BYTES)
        return;
    double first_s = 0, busy_s = 0;
    size_t touched[2];
    for (int i = 0; i < 2; i++) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return;
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
        double begin_s = clock_now_s(), own_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
        touched[i] = touch(memory, i == 0 ? bytes : touched[0], LONGEST_S);
        busy_s = clock_s(CLOCK_THREAD_CPUTIME_ID) - own_s;
        first_s = i == 0 ? clock_now_s() - begin_s : first_s;
        munmap(memory, bytes);
    }
    if (touched[0] < LEAST_BYTES / 4 || touched[1] == 0)
        return;
    host->touch_s_byte = busy_s / (double)touched[1];
    if (touched[0] < bytes)
        host->cold_s_byte = first_s / (double)touched[0];
}

struct estimate_host estimate_host_now(double most_bytes)
{
    struct estimate_host host = {.slowdown = measure_slowdown(), .touch_s_byte = TOUCH_S_BYTE};
    measure_memory(most_bytes, &host);
    return host;
}
