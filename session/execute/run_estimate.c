#include "session/execute/run_estimate.h"

#include "base/clock.h"
#include "base/rational.h"
#include "base/text/names.h"
#include "runner/launch/moment.h"
#include "runner/measure/pace.h"
#include "runner/measure/process_group.h"
#include "runner/sources/qemu/qemu_shared.h"
#include "runner/sources/simulated_passes.h"
#include "runner/sources/source.h"
#include "runner/sources/timing/timing_source.h"

#include <math.h>
#include <time.h>

/* Processor seconds, measured on AMD EPYCs of 3.7 to 4.3 GHz. */
static const double INSPECT_S = 0.005, DEVICE_S = 0.7, CALIBRATE_S = 2.5;

/* The source "timing" compares a program with a loop, or with chases up to a level. It restarts programs with
 * much data for some rounds, and copies that run together for every round. */
static const double LOOP_S = 0.08, BRANCHES_S = 0.13;
static const double CHASE_S[] = {[LEVEL_L1] = 0.27, [LEVEL_L2] = 0.27, [LEVEL_L3] = 0.57, [LEVEL_MEM] = 1.2};
static const double MUCH_BYTES = 1 << 20, RESTARTS_S = 0.4, COPIES_S = 12;
enum { ROUNDS = 20, FEWEST_ROUNDS = 9 };

/* Cachegrind: its start, and its time for an instruction and for a word of set-up. */
static const double SIMULATE_S = 0.023, SIMULATED_S_INSTRUCTION = 7e-9, SIMULATED_S_WORD = 50e-9;

/* Up to LOOKED_AT programs are made, and started for a small share of the run's least time. */
enum { LOOKED_AT = 64, TRIED_PASSES = 50, REP_PASSES = 100 /* least number in a repetition */ };
static const double TRY_LEAST_S = 0.3, TRY_MOST_S = 1, TRY_SHARE = 0.1, TIMEOUT_S = 2;

/* Sums over programs. */
struct looked {
    double made, make_s, processor_s;
    double tried, start_s; /* time of starts, of the programs tried */
    double evidence_s;     /* processor time */
    double left_s;         /* time left to try programs */
};

/* A step that visits each of `all` indices once, evenly spread even if few are visited. */
static size_t step_through(size_t all)
{
    size_t step = (size_t)(0.618 * (double)all) + 1;
    while (rational_gcd(step, all) != 1)
        step++;
    return step;
}

static bool is_timed(const struct test_program *test_program, const char *counters)
{
    struct error why_not;
    return test_program->machine->present && names_contain(counters, counter_timing.name) &&
           test_program_check_walk(test_program, &why_not) == STATUS_OK;
}

/* Cachegrind simulates a program again for L3 if loads miss L2; qemu simulates the caches that copies share.
 */
static double simulation_s(const struct test_program *test_program, const char *counters)
{
    const struct manifest *manifest = test_program->manifest;
    struct error why_not;
    double passes = manifest->warmup + PASSES_FEWER + PASSES_MORE;
    bool simulated = names_contain(counters, counter_cachegrind.name) &&
                     counter_cachegrind.usable(&why_not) == STATUS_OK &&
                     test_program_check_walk(test_program, &why_not) == STATUS_OK &&
                     simulated_check_features(test_program, "valgrind", &why_not) == STATUS_OK &&
                     test_program_check_features(test_program, &why_not) == STATUS_OK;
    bool deep = test_program->machine->l3.size > 0 && rates_get(&manifest->expected, "l2.miss_rate", 0) > 0;
    double shared_s = names_contain(counters, counter_qemu.name) ? qemu_shared_seconds(test_program) : 0;
    if (shared_s > 0 && counter_qemu.usable(&why_not) != STATUS_OK)
        shared_s = 0;
    return shared_s + (simulated ? 1 + deep : 0) *
                          (SIMULATE_S + passes * manifest->instructions * SIMULATED_S_INSTRUCTION +
                           manifest->data.words * SIMULATED_S_WORD);
}

static double evidence_s(const struct test_program *test_program, const char *counters)
{
    const struct timing_bound bound = timing_find_bound(test_program->manifest);
    double seconds = INSPECT_S + simulation_s(test_program, counters);
    if (!is_timed(test_program, counters))
        return seconds;
    return seconds + (bound.bound == BOUND_LATENCY    ? CHASE_S[bound.levels.high]
                      : bound.bound == BOUND_BRANCHES ? BRANCHES_S
                                                      : LOOP_S);
}

/* The number of starts of a point's program, without the runs that find its pace. */
static double count_starts(const struct test_program *test_program, bool timed, unsigned reps, double start_s)
{
    double rounds = fmax(FEWEST_ROUNDS, fmin(ROUNDS, COPIES_S / start_s)) + 1;
    if (!timed)
        return reps;
    if (test_program_copies(test_program) > 1)
        return reps + rounds;
    return reps + 1 +
           (test_program->manifest->data.bytes > MUCH_BYTES ? fmax(1, fmin(RESTARTS_S / start_s, ROUNDS))
                                                            : 0);
}

/* Starts the program once, and adds the time of the point's starts, and of repetitions beyond the protocol's.
 */
static void try_program(const struct test_program *test_program, const struct protocol *protocol, bool timed,
                        struct looked *looked)
{
    struct error unused;
    uint64_t ticks = 0;
    struct moment begin = moment_now();
    enum status status = process_group_run_program(test_program, TRIED_PASSES, TIMEOUT_S, &ticks, &unused);
    struct moment end = moment_now();
    double took_s = end.s - begin.s, ticks_per_s = moment_ticks_per_s(&begin, &end), passes = 0;
    double pass_s = status != STATUS_OK ? TIMEOUT_S / TRIED_PASSES
                    : ticks_per_s > 0   ? (double)ticks / ticks_per_s / TRIED_PASSES
                                        : 0;
    double start_s = fmax(took_s - pass_s * TRIED_PASSES, 1e-6);
    unsigned runs = pace_runs(pass_s);
    looked->left_s -= took_s;
    if (status != STATUS_OK && took_s < TIMEOUT_S)
        return;
    for (unsigned i = 0; i < runs; i++)
        passes += pace_run_passes(i);
    looked->tried++;
    looked->start_s += (runs + count_starts(test_program, timed, protocol->reps, start_s)) * start_s +
                       passes * pass_s + protocol->reps * fmax(0, REP_PASSES * pass_s - protocol->time_s);
}

/* Adds the item's times; leaves out a program that cannot be made, as the run reports it. */
static void look_at(const struct work_item *item, const struct protocol *protocol, const char *counters,
                    int cpu, struct looked *looked)
{
    struct program program;
    struct placement place;
    struct error unused;
    bool changed;
    double begin_s = clock_now_s();
    clock_t begin = clock();
    if (work_program(item, &program, &changed, &unused) == STATUS_OK) {
        struct test_program test_program = work_test_program(item, &program, cpu);
        test_program_find_place(&test_program, &place);
        looked->made++;
        looked->make_s += clock_now_s() - begin_s;
        looked->processor_s += (double)(clock() - begin) / CLOCKS_PER_SEC;
        looked->evidence_s +=
            test_program_is_on_device(&test_program) ? DEVICE_S : evidence_s(&test_program, counters);
        if (looked->left_s > 0 && !test_program_is_on_device(&test_program) &&
            test_program_copies(&test_program) > 0 &&
            test_program_check_runs(&test_program, &unused) == STATUS_OK &&
            test_program_check_features(&test_program, &unused) == STATUS_OK)
            try_program(&test_program, protocol, is_timed(&test_program, counters), looked);
    }
    program_free(&program);
}

struct run_estimate run_estimate(const struct work *work, const struct protocol *protocols,
                                 const char *counters, int cpu)
{
    struct run_estimate estimate = {0};
    struct looked looked = {0};
    size_t all = work->item_count;
    for (size_t i = 0; i < all; i++) {
        estimate.protocol_s += protocol_seconds(&protocols[i]);
        estimate.idle_s += protocols[i].idle_left_out_s;
    }
    looked.left_s = fmax(TRY_LEAST_S, fmin(TRY_MOST_S, TRY_SHARE * estimate.protocol_s));
    size_t step = all > 0 ? step_through(all) : 0;
    for (size_t i = 0; i < LOOKED_AT && i < all; i++)
        look_at(&work->items[i * step % all], &protocols[i * step % all], counters, cpu, &looked);
    if (looked.made == 0)
        return estimate;
    double slowdown = fmax(1, looked.make_s / fmax(looked.processor_s, 1e-6)); /* by other load */
    double point_s = (looked.make_s + slowdown * looked.evidence_s) / looked.made;
    if (looked.tried > 0)
        point_s += looked.start_s / looked.tried;
    if (work->request->calibrate)
        point_s += slowdown * CALIBRATE_S;
    estimate.busy_s = point_s * (double)all;
    return estimate;
}
