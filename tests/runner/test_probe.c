/* A probe's conclusions from its curves: noisy simulated machines with known parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "runner/probe/analysis.h"
#include "runner/probe/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KIB 1024.0
#define MIB (1024 * KIB)

enum { POINTS_MOST = 128, LEVELS_MOST = 4 };

/* A machine: what each level holds and how long it takes; the last level holds everything. */
struct made_up {
    const char *name;
    double size[LEVELS_MOST];
    double cycles[LEVELS_MOST];
    size_t levels;
    double softness; /* octaves over which a level gives way to the next; 0: at once */
    double noise;    /* largest share by which a point is off */
};

static const struct made_up machines[] = {
    {"three levels, sharp", {48 * KIB, 2 * MIB, 32 * MIB}, {5, 16, 70, 300}, 4, 0, 0.01},
    {"three levels, soft", {32 * KIB, 1 * MIB, 28 * MIB}, {4, 14, 60, 250}, 4, 1, 0.04},
    {"odd sizes", {24 * KIB, 640 * KIB, 12 * MIB}, {3, 12, 45, 180}, 4, 0.5, 0.03},
    {"two levels", {16 * KIB, 256 * KIB}, {3, 20, 200}, 3, 0.3, 0.02},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

/* How much of the way from one level to the next is made at that size. */
static double share_of(const struct made_up *machine, size_t level, double size)
{
    double octaves = log2(size / machine->size[level]);
    if (machine->softness == 0)
        return octaves > 0 ? 1 : 0;
    return fmax(0, fmin(1, 0.25 + octaves / machine->softness));
}

static size_t make_curve(const struct made_up *machine, double largest, struct probe_point *points)
{
    struct random random = random_start(1, machine->name);
    size_t count = 0;
    for (double octave = 4 * KIB; octave < largest; octave *= 2) {
        for (int part = 0; part < 4; part++) {
            double size = octave * (4 + part) / 4, cycles = machine->cycles[0];
            for (size_t level = 0; level + 1 < machine->levels; level++)
                cycles +=
                    share_of(machine, level, size) * (machine->cycles[level + 1] - machine->cycles[level]);
            double off = (random_below(&random, 2001) / 1000.0 - 1) * machine->noise;
            cycles *= 1 + off;
            points[count++] = (struct probe_point){
                .size = size, .cycles = {cycles, cycles, cycles, 1}, .ns = {cycles, cycles, cycles, 1}};
        }
    }
    return count;
}

static void levels_and_sizes_are_found(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        const struct made_up *machine = &machines[m];
        struct probe_point points[POINTS_MOST];
        struct probe_plateau plateaus[PLATEAUS_MOST];
        size_t count = make_curve(machine, 512 * MIB, points);
        size_t found = probe_plateaus(points, count, machine->levels, plateaus);
        if (found != machine->levels)
            fail_msg("%s: %zu plateaus instead of %zu", machine->name, found, machine->levels);
        for (size_t i = 0; i < found; i++)
            if (fabs(plateaus[i].cycles / machine->cycles[i] - 1) > 0.05)
                fail_msg("%s: level %zu takes %g cycles instead of %g", machine->name, i, plateaus[i].cycles,
                         machine->cycles[i]);
        for (size_t i = 0; i + 1 < found; i++) {
            struct interval size = probe_capacity(points, &plateaus[i], &plateaus[i + 1]);
            bool inside = size.low <= machine->size[i] * 1.08 && machine->size[i] <= size.high;
            if (!inside || size.low > size.value || size.value > size.high || size.high > 2 * size.low)
                fail_msg("%s: level %zu holds %g [%g, %g] instead of %g", machine->name, i, size.value,
                         size.low, size.high, machine->size[i]);
        }
    }
}

/* The TLB adds a step between two levels, the lesser one: with as many levels as the machine has it goes. */
static void a_small_step_too_many_is_left_out(void **state)
{
    (void)state;
    static const struct made_up machine = {
        "a step of the TLB", {48 * KIB, 384 * KIB, 8 * MIB}, {5, 16, 26, 130}, 4, 0, 0.01};
    struct probe_point points[POINTS_MOST];
    struct probe_plateau plateaus[PLATEAUS_MOST];
    size_t count = make_curve(&machine, 64 * MIB, points);
    assert_int_equal(probe_plateaus(points, count, 4, plateaus), 4);
    assert_int_equal(probe_plateaus(points, count, 3, plateaus), 3);
    assert_true(fabs(plateaus[0].cycles - 5) < 0.5);
    assert_true(fabs(plateaus[2].cycles - 130) < 13);
}

/* One point that a neighbour spoilt ends no plateau. */
static void a_point_that_sticks_out_is_passed_over(void **state)
{
    (void)state;
    struct probe_point points[POINTS_MOST];
    struct probe_plateau plateaus[PLATEAUS_MOST];
    size_t count = make_curve(&machines[0], 512 * MIB, points);
    points[4].cycles.value *= 6;
    points[20].cycles.value *= 3;
    assert_int_equal(probe_plateaus(points, count, 4, plateaus), 4);
    struct interval size = probe_capacity(points, &plateaus[0], &plateaus[1]);
    assert_true(size.low <= 48 * KIB && 48 * KIB <= size.high);
}

static void a_flat_curve_has_one_plateau(void **state)
{
    (void)state;
    struct probe_point points[POINTS_MOST];
    struct probe_plateau plateaus[PLATEAUS_MOST];
    size_t count = make_curve(&machines[0], 32 * KIB, points);
    assert_int_equal(probe_plateaus(points, count, 4, plateaus), 1);
    assert_int_equal(probe_plateaus(points, 0, 4, plateaus), 0);
}

static void ways_are_the_last_that_all_hit(void **state)
{
    (void)state;
    double cycles[20];
    for (size_t i = 0; i < 20; i++)
        cycles[i] = i < 12 ? 5 : 16;
    assert_int_equal(probe_ways(cycles, 20, 5), 12);
    cycles[3] = 9; /* an interrupt */
    assert_int_equal(probe_ways(cycles, 20, 5), 12);
    assert_int_equal(probe_ways(cycles, 12, 5), 0); /* nothing rises: not known */
    for (size_t i = 0; i < 20; i++)
        cycles[i] = i < 8 ? 4 : 4 + fmin(10, 2.0 * (double)(i - 7)); /* not LRU: it rises bit by bit */
    assert_int_equal(probe_ways(cycles, 20, 4), 8);
}

static void a_way_is_the_shortest_distance_of_conflicts(void **state)
{
    (void)state;
    size_t ways, span;
    static const size_t found[] = {0, 24, 12, 12, 12, 12}; /* at 1, 2, 4, ... KiB */
    assert_true(probe_way_span(found, 6, 1024, &ways, &span));
    assert_int_equal(ways, 12);
    assert_int_equal(span, 4096);
    static const size_t scattered[] = {0, 0, 31, 27, 33, 30}; /* a host's small pages */
    assert_false(probe_way_span(scattered, 6, 1024, &ways, &span));
    static const size_t never[] = {0, 0, 0, 0, 0, 0};
    assert_false(probe_way_span(never, 6, 1024, &ways, &span));
}

static void disturbed_samples_are_left_out_and_counted(void **state)
{
    (void)state;
    double samples[31];
    for (size_t i = 0; i < 31; i++)
        samples[i] = i % 3 == 1 ? 30 + (double)i : 10 + 0.01 * (double)(i % 7);
    size_t dropped = 0;
    struct interval quiet = probe_quiet(samples, 31, &dropped);
    assert_int_equal(dropped, 10);
    assert_int_equal(quiet.n, 21);
    assert_true(quiet.low >= 10 && quiet.high < 10.1 && quiet.low <= quiet.value &&
                quiet.value <= quiet.high);
}

/* ---- a made-up core, whose clock and loops others delay ---- */

/* Of a thousand loops so many run beside a busy thread of the core, in stretches; a few are interrupted. */
static struct {
    struct random random;
    unsigned shared, stretch, left;
    bool busy;
    double frequency; /* ticks per cycle */
} core;

static uint64_t core_ticks(double cycles, double delay)
{
    if (core.left-- == 0) {
        core.busy = random_below(&core.random, 1000) < core.shared;
        core.left = random_below(&core.random, core.stretch + 1);
    }
    double disturbed = core.busy ? 1 + delay * (0.9 + random_below(&core.random, 200) / 1000.0) : 1;
    double interrupted = random_below(&core.random, 20) == 0 ? random_below(&core.random, 1000000) : 0;
    double noise = 1 + random_below(&core.random, 1000) * 1e-6;
    return (uint64_t)(cycles * core.frequency * disturbed * noise + interrupted);
}

/* A chain of adds waits for the other thread's turns more often than a chain of loads. */
static uint64_t run_adds(uint64_t iterations, struct probe_words *words)
{
    (void)words;
    return core_ticks((double)iterations * 100, 0.06);
}

static uint64_t run_multiplications(uint64_t iterations, struct probe_words *words)
{
    (void)words;
    return core_ticks((double)iterations * 300, 0.02);
}

static uint64_t run_loads(uint64_t iterations, struct probe_words *words)
{
    (void)words;
    return core_ticks((double)iterations * 32 * 5, 0.005);
}

static struct probe_code code_of(uint64_t (*function)(uint64_t iterations, struct probe_words *words))
{
    struct probe_code code = {0};
    memcpy(&code.bytes, &function, sizeof function);
    return code;
}

static struct interval load_cycles(unsigned shared, unsigned stretch, double slower, bool *disturbed)
{
    const struct probe_code loads = code_of(run_loads);
    struct probe probe = {.clock_chain = code_of(run_adds),
                          .long_chain = code_of(run_multiplications),
                          .clock = 0.7,
                          .clock_least = 0.7,
                          .long_cycles = 3};
    struct probe_timing timing = {.code = &loads, .iterations = 1000, .things = 32};
    core.random = random_start(shared + stretch, "core");
    core.shared = shared;
    core.stretch = stretch;
    core.left = 0;
    core.frequency = 0.7 * slower;
    probe.ticks_per_ns = 2.6;
    struct interval found = probe_time(&probe, &timing, 15, NULL);
    *disturbed = timing.disturbed;
    return found;
}

static void cycles_are_right_or_said_to_be_disturbed(void **state)
{
    (void)state;
    unsigned marked = 0, tried = 0;
    for (unsigned shared = 0; shared <= 1000; shared += 100)
        for (unsigned stretch = 1; stretch <= 10000; stretch *= 10) {
            bool disturbed;
            struct interval found = load_cycles(shared, stretch, 1, &disturbed);
            if (!disturbed && fabs(found.value / 5 - 1) > 0.01)
                fail_msg("%u shared, %u in a row: %g cycles instead of 5", shared, stretch, found.value);
            marked += disturbed;
            tried++;
        }
    assert_true(marked < tried / 2);
    bool disturbed;
    struct interval found = load_cycles(1000, 10, 1, &disturbed);
    if (!disturbed)
        fail_msg("all samples beside another thread: %g cycles, unmarked", found.value);
}

/* A walk through the region from `begin` to `end`, which moves on by as much as it walked. */
static struct {
    uint64_t begin, end;
    size_t walks, outside;
} walked;

static uint64_t run_walk(uint64_t iterations, struct probe_words *words)
{
    (void)iterations;
    walked.walks++;
    walked.outside += words->first < walked.begin || words->first + words->third > walked.end;
    words->first += words->second;
    return core_ticks(1000, 0.06);
}

/* All samples are disturbed, so that they are taken again as often as may be. */
static void repeated_walks_stay_in_their_memory(void **state)
{
    (void)state;
    const struct probe_code walk = code_of(run_walk);
    struct probe probe = {.clock_chain = code_of(run_adds),
                          .long_chain = code_of(run_multiplications),
                          .clock = 0.35,
                          .clock_least = 0.35,
                          .long_cycles = 3,
                          .ticks_per_ns = 2.6};
    struct probe_words words = {.first = 4096, .second = 512, .third = 512};
    struct probe_timing timing = {.code = &walk,
                                  .iterations = 1,
                                  .things = 512,
                                  .words = &words,
                                  .begin = 4096,
                                  .end = 4096 + 20 * 512};
    walked.begin = timing.begin;
    walked.end = timing.end;
    walked.walks = walked.outside = 0;
    core.random = random_start(1, "walk");
    core.shared = 1000;
    core.stretch = 1;
    core.left = 0;
    core.busy = true;
    core.frequency = 0.7;
    probe_time(&probe, &timing, 15, NULL);
    assert_true(walked.walks > 20);
    assert_int_equal(walked.outside, 0);
}

/* Another frequency changes no cycles. */
static void a_slower_clock_disturbs_nothing(void **state)
{
    (void)state;
    bool disturbed;
    struct interval found = load_cycles(0, 1, 1.25, &disturbed);
    assert_false(disturbed);
    assert_float_equal(found.value, 5, 0.02);
    assert_true(found.low < 5 && 5 < found.high);
}

/* The branch predictor's step is at half the bytes with two jumps a line; the cache's stays where it is. */
static void a_step_of_both_curves_is_the_caches(void **state)
{
    (void)state;
    static const struct made_up one = {
        "one jump a line", {16 * KIB, 64 * KIB, 256 * KIB}, {1, 2.3, 4, 9}, 4, 0, 0.02};
    static const struct made_up two = {
        "two jumps a line", {8 * KIB, 64 * KIB, 128 * KIB}, {1, 2.2, 4, 9}, 4, 0, 0.02};
    struct probe_point a[POINTS_MOST], b[POINTS_MOST];
    struct probe_plateau of_a[PLATEAUS_MOST], of_b[PLATEAUS_MOST];
    size_t count_a = probe_plateaus(a, make_curve(&one, 512 * KIB, a), PLATEAUS_MOST, of_a);
    size_t count_b = probe_plateaus(b, make_curve(&two, 512 * KIB, b), PLATEAUS_MOST, of_b);
    int step = probe_common_step(a, of_a, count_a, b, of_b, count_b);
    assert_true(step >= 0);
    struct interval size = probe_capacity(a, &of_a[step], &of_a[step + 1]);
    assert_true(size.low <= 64 * KIB && 64 * KIB <= size.high);
    assert_int_equal(probe_common_step(a, of_a, 1, b, of_b, count_b), -1);
}

/* A clock of one tick in forty loops of the chain needs more of them than the core's own does. */
static void coarse_clocks_take_longer_samples(void **state)
{
    (void)state;
    const struct probe fine = {.clock_iterations_per_tick = 0.01}, coarse = {.clock_iterations_per_tick = 40};
    assert_int_equal(probe_clock_iterations(&fine), 400);
    assert_int_equal(probe_clock_iterations(&coarse), 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_and_sizes_are_found),
        cmocka_unit_test(a_small_step_too_many_is_left_out),
        cmocka_unit_test(a_point_that_sticks_out_is_passed_over),
        cmocka_unit_test(a_flat_curve_has_one_plateau),
        cmocka_unit_test(ways_are_the_last_that_all_hit),
        cmocka_unit_test(a_way_is_the_shortest_distance_of_conflicts),
        cmocka_unit_test(disturbed_samples_are_left_out_and_counted),
        cmocka_unit_test(cycles_are_right_or_said_to_be_disturbed),
        cmocka_unit_test(repeated_walks_stay_in_their_memory),
        cmocka_unit_test(a_slower_clock_disturbs_nothing),
        cmocka_unit_test(a_step_of_both_curves_is_the_caches),
        cmocka_unit_test(coarse_clocks_take_longer_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
