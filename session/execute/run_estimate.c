#include "session/execute/run_estimate.h"

#include "base/clock.h"
#include "base/text/names.h"
#include "runner/launch/moment.h"
#include "runner/measure/pace.h"
#include "runner/measure/process_group.h"
#include "runner/sources/qemu/qemu_shared.h"
#include "runner/sources/simulated_passes.h"
#include "runner/sources/source.h"
#include "runner/sources/timing/timing_source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Processor seconds, measured on AMD EPYCs of 3.7 to 4.3 GHz. */
static const double START_S = 0.002; /* of a program without data */
static const double INSPECT_S = 0.005;
static const double DEVICE_S = 0.7;
static const double CALIBRATE_S = 2.5;

/* The source "timing": making what a program is compared with, and the rounds of all of it. */
static const double LOOP_S = 0.08;     /* beside a chain of additions */
static const double BRANCHES_S = 0.13; /* beside loops without branches, and with only random ones */
static const double CHASE_S = 0.27;    /* beside chases of two levels */
static const double CHASE_L3_S = 0.57;
static const double CHASE_MEM_S = 1.2;

/* Programs whose data is far are started again for some of the rounds, which are longer, and copies that run
 * together for all (runner/sources/timing/race_run.c). */
enum { ROUNDS = 20, FEWEST_ROUNDS = 9, SHARED_STARTS = 13 };
static const double FAR_ROUND_S = 0.006, RESTARTS_S = 0.4, APART_S = 12, APART_ROUND_S = 0.001;
static const double NEAR_BYTES = 1 << 20;

/* Cachegrind: its own start, and what it makes of an instruction and of a word of set-up. */
static const double SIMULATE_S = 0.023, SIMULATED_S_INSTRUCTION = 7e-9, SIMULATED_S_WORD = 50e-9;

static const double TOUCH_S_BYTE = 0.15e-9; /* where it is not measured */
enum { TRIED_PASSES = 50, REP_PASSES = 100 /* the fewest of a repetition */ };

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- what a program is ---- */

/* How often cachegrind simulates it: once more for L3, if loads miss L2. */
static unsigned count_simulations(const struct test_program *test_program, const char *counters)
{
    const struct manifest *manifest = test_program->manifest;
    const struct machine *machine = test_program->machine;
    struct error why_not;
    bool simulated = names_contain(counters, counter_cachegrind.name) &&
                     counter_cachegrind.usable(&why_not) == STATUS_OK &&
                     test_program_check_walk(test_program, &why_not) == STATUS_OK &&
                     simulated_check_features(test_program, "valgrind", &why_not) == STATUS_OK &&
                     test_program_check_features(test_program, &why_not) == STATUS_OK;
    bool deep = machine->l3.size > 0 && rates_get(&manifest->expected, "l2.miss_rate", 0) > 0;
    return simulated ? 1 + deep : 0;
}

static double shared_s(const struct test_program *test_program, const char *counters)
{
    struct error why_not;
    double seconds = names_contain(counters, counter_qemu.name) ? qemu_shared_seconds(test_program) : 0;
    return seconds > 0 && counter_qemu.usable(&why_not) == STATUS_OK ? seconds : 0;
}

static bool is_far(const struct manifest_data *data)
{
    bool far = false;
    for (size_t i = 0; i < data->base_count; i++)
        far = far || manifest_base_level(&data->bases[i]) >= LEVEL_L3;
    return far && data->bytes > NEAR_BYTES;
}

struct estimate_program estimate_look(const struct test_program *test_program, const char *counters,
                                      bool calibrated, double make_s)
{
    const struct manifest *manifest = test_program->manifest;
    struct timing_bound bound = timing_find_bound(manifest);
    struct error why_not;
    size_t copies = test_program_copies(test_program);
    bool compared =
        test_program->machine->present && test_program_check_walk(test_program, &why_not) == STATUS_OK;
    return (struct estimate_program){.copies = copies > 0 ? (double)copies : 1,
                                     .bytes = manifest->data.bytes * (double)copies,
                                     .instructions = manifest->instructions,
                                     .warmup = manifest->warmup,
                                     .words = manifest->data.words,
                                     .make_s = make_s,
                                     .start_s = NAN,
                                     .pass_s = NAN,
                                     .simulations = count_simulations(test_program, counters),
                                     .shared_s = shared_s(test_program, counters),
                                     .on_device = test_program_is_on_device(test_program),
                                     .far = is_far(&manifest->data),
                                     .waits = manifest->shared.given && copies > 1,
                                     .throttled = compared && names_contain(counters, counter_duty.name) &&
                                                  counter_duty.concerns(test_program),
                                     .branches = bound.bound == BOUND_BRANCHES,
                                     .chase = bound.bound == BOUND_LATENCY,
                                     .level = (int)bound.levels.high,
                                     .timed = compared && names_contain(counters, counter_timing.name),
                                     .calibrated = calibrated};
}

/* ---- what a start takes ---- */

/* Processor time of all children so far. */
static double children_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* One start; false if it was not told how long it took. */
static bool try_once(const struct test_program *test_program, double timeout_s,
                     struct estimate_program *program)
{
    struct error unused;
    uint64_t ticks = 0;
    struct moment begin = moment_now();
    double busy_s = children_s();
    enum status status = process_group_run_program(test_program, TRIED_PASSES, timeout_s, &ticks, &unused);
    struct moment end = moment_now();
    double ticks_per_s = moment_ticks_per_s(&begin, &end), start_s = NAN, pass_s = NAN;
    busy_s = (children_s() - busy_s) / program->copies;
    if (status == STATUS_OK && begin.ticks > 0 && ticks_per_s > 0) {
        pass_s = (double)ticks / ticks_per_s / TRIED_PASSES;
        start_s = fmax(0, busy_s - pass_s * TRIED_PASSES);
    } else if (status != STATUS_OK && end.s - begin.s >= timeout_s) {
        pass_s = program->waits ? timeout_s / TRIED_PASSES : NAN;
        start_s = program->waits ? 0 : busy_s;
    }
    program->pass_s = fmin(program->pass_s, pass_s); /* of a number and NAN, the number */
    program->start_s = fmin(program->start_s, start_s);
    return status == STATUS_OK;
}

double estimate_try(const struct test_program *test_program, double timeout_s,
                    struct estimate_program *program)
{
    struct error unused;
    double begin_s = clock_now_s();
    program->tried = true;
    /* Memory that the host has yet to give makes the first start slow, and other load may make any. */
    if (!program->on_device && test_program_copies(test_program) > 0 &&
        test_program_check_runs(test_program, &unused) == STATUS_OK &&
        test_program_check_features(test_program, &unused) == STATUS_OK &&
        try_once(test_program, timeout_s, program))
        (void)try_once(test_program, timeout_s, program);
    return clock_now_s() - begin_s;
}

/* Bytes of a copy, and a page of everything else, so that none has none. */
static double size_of(const struct estimate_program *program)
{
    static const double PAGE = 4096;
    return program->bytes / program->copies + PAGE;
}

static bool has_times(const struct estimate_program *program)
{
    return program->tried && !isnan(program->start_s) && !isnan(program->pass_s);
}

/* The one with times whose size is closest; NULL: none has any. */
static const struct estimate_program *find_like(const struct estimate_program *programs, size_t count,
                                                const struct estimate_program *program)
{
    const struct estimate_program *like = NULL;
    double nearest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double apart = fabs(log(size_of(&programs[i]) / size_of(program)));
        if (!has_times(&programs[i]) || apart >= nearest)
            continue;
        like = &programs[i];
        nearest = apart;
    }
    return like;
}

size_t estimate_next(const struct estimate_program *programs, size_t count)
{
    static const double SAME = 1.1;
    size_t next = count;
    for (size_t i = 0; i < count; i++) {
        const struct estimate_program *like = find_like(programs, count, &programs[i]);
        bool known = like != NULL && fabs(log(size_of(like) / size_of(&programs[i]))) < log(SAME);
        if (!programs[i].tried && !known && (next == count || programs[i].bytes > programs[next].bytes))
            next = i;
    }
    return next;
}

void estimate_spread(struct estimate_program *programs, size_t count, const struct estimate_host *host)
{
    static const double INSTRUCTION_S = 0.1e-9;
    for (size_t i = 0; i < count; i++) {
        struct estimate_program *program = &programs[i];
        const struct estimate_program *like = has_times(program) ? NULL : find_like(programs, count, program);
        if (like != NULL && isnan(program->start_s))
            program->start_s = like->start_s * size_of(program) / size_of(like);
        if (like != NULL && isnan(program->pass_s))
            program->pass_s = like->pass_s * fmax(program->instructions, 1) / fmax(like->instructions, 1);
        if (isnan(program->start_s))
            program->start_s = size_of(program) * host->touch_s_byte;
        if (isnan(program->pass_s))
            program->pass_s = fmax(program->instructions, 1) * INSTRUCTION_S;
    }
}

/* ---- what a point takes ---- */

static double pace_s(const struct estimate_program *program, double start_s)
{
    unsigned runs = pace_runs(program->pass_s);
    double passes = 0;
    for (unsigned i = 0; i < runs; i++)
        passes += pace_run_passes(i);
    return runs * start_s + passes * program->pass_s;
}

/* Copies that run together are started for each round, without those that share, for which nothing is made.
 */
static double copies_s(const struct estimate_program *program, double start_s)
{
    if (program->waits)
        return SHARED_STARTS * (start_s + APART_ROUND_S);
    double round_s = start_s + START_S + APART_ROUND_S;
    double rounds = fmax(FEWEST_ROUNDS, fmin(ROUNDS, APART_S / round_s));
    return LOOP_S + pace_s(program, start_s) + (rounds + 1) * round_s;
}

static double timing_s(const struct estimate_program *program, double start_s)
{
    double far_s =
        program->far ? ROUNDS * FAR_ROUND_S + fmax(start_s, fmin(RESTARTS_S, ROUNDS * start_s)) : 0;
    if (!program->timed)
        return 0;
    if (program->copies > 1)
        return copies_s(program, start_s);
    if (program->chase)
        return start_s + (program->level == LEVEL_MEM  ? CHASE_MEM_S
                          : program->level == LEVEL_L3 ? CHASE_L3_S
                                                       : CHASE_S);
    return start_s + (program->branches ? BRANCHES_S : LOOP_S) + far_s;
}

static double simulation_s(const struct estimate_program *program)
{
    double passes = program->warmup + PASSES_FEWER + PASSES_MORE;
    return program->simulations * (SIMULATE_S + passes * program->instructions * SIMULATED_S_INSTRUCTION +
                                   program->words * SIMULATED_S_WORD) +
           program->shared_s;
}

/* Repetitions that take longer than their time: by their starts, and where a hundred passes do. */
static double reps_s(const struct estimate_program *program, const struct protocol *protocol, double start_s)
{
    double longer_s = fmax(0, REP_PASSES * program->pass_s - protocol->time_s);
    return protocol->reps * (start_s + longer_s);
}

double estimate_point_s(const struct estimate_program *program, const struct protocol *protocol,
                        const struct estimate_host *host)
{
    double start_s = START_S + program->start_s;
    double busy_s = program->make_s + INSPECT_S + pace_s(program, start_s) +
                    reps_s(program, protocol, start_s) + simulation_s(program) + timing_s(program, start_s) +
                    (program->waits ? protocol->reps * protocol->time_s * (1 - 1 / host->slowdown) : 0) +
                    (program->throttled ? LOOP_S + start_s : 0) + (program->calibrated ? CALIBRATE_S : 0);
    return protocol_seconds(protocol) + (program->on_device ? DEVICE_S : busy_s * host->slowdown);
}

/* ---- this machine now ---- */

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
