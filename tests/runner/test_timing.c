/* The source "timing" without running anything: synthetic rounds with known rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "runner/sources/timing/timing_source.h"
#include "tests/given_manifest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ticks a pass of the ends, with LOADS loads: no misses, and nothing but misses. */
static const double LOW = 400;
static const double HIGH = 1400;
static const double CLOCK_TICKS = 250, CLOCK_CYCLES = 500;
enum { LOADS = 100 };

/* Ticks a load of the plain chases through the two chases of each level. */
static const double chase_ticks[LEVEL_COUNT][PLAIN_SIZES] = {{4, 4}, {14, 14}, {34, 36}, {400, 420}};

/* And of one that misses L2 soon after another of its set of L1. */
static const double one_set_ticks[ONE_SET_GAPS] = {17, 16, 14};

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);
    if (document == NULL)
        fail_msg("%s: %s", error.text, text);
    return document;
}

static void add_chase(struct race *race, struct plain_chase chase, double ticks)
{
    struct plain_chases *chases = &race->chases;
    for (size_t i = 0; i < race->rounds; i++)
        race->ticks_per_load[chases->count][i] = ticks * (1 + 0.001 * (double)(i % 7) / 7);
    chases->items[chases->count++] = chase;
}

/* Rounds of a test program that takes so many ticks a pass, each part with its own noise of some 0.1 %. */
static void fill_ticks(struct race *race, json_t *manifest, double ticks)
{
    race->count = 4;
    race->rounds = REFERENCE_ROUNDS;
    race->clock_cycles = CLOCK_CYCLES;
    for (size_t i = 0; i < race->count; i++)
        race->parts[i].manifest = &manifest_none;
    race->parts[TIMING_TEST_PROGRAM].manifest = manifest == NULL ? &manifest_none : given_manifest(manifest);
    for (size_t i = 0; i < race->rounds; i++) {
        double jitter = 1 + 0.001 * (double)(i % 5) / 5;
        race->ticks_per_pass[TIMING_TEST_PROGRAM][i] = ticks * jitter;
        race->ticks_per_pass[TIMING_CLOCK][i] = CLOCK_TICKS;
        race->ticks_per_pass[TIMING_LOW_END][i] = LOW * jitter;
        race->ticks_per_pass[TIMING_HIGH_END][i] = HIGH * jitter;
    }
    for (int level = 0; level < LEVEL_COUNT; level++)
        for (size_t size = 0; size < PLAIN_SIZES; size++)
            add_chase(race, (struct plain_chase){.level = (enum memory_level)level},
                      chase_ticks[level][size]);
    for (unsigned hits = 0; hits < ONE_SET_GAPS; hits++)
        add_chase(race, (struct plain_chase){.level = LEVEL_L2, .one_set = true, .hits = hits},
                  one_set_ticks[hits]);
}

/* Of one that stands at `place` between the ends. */
static void fill(struct race *race, json_t *manifest, double place)
{
    fill_ticks(race, manifest, LOW + place * (HIGH - LOW));
}

static json_t *of_loads(void)
{
    return json_pack("{s:i}", "loads", LOADS);
}

static struct timing_bound waits_for(enum memory_level low, enum memory_level high)
{
    return (struct timing_bound){.bound = BOUND_LATENCY, .levels = {.low = low, .high = high}};
}

static const struct timing_bound branches = {.bound = BOUND_BRANCHES};

/* The metric is `value`, and its interval holds it. */
static void expect_seen(const struct observations *list, const char *metric, double value)
{
    const struct observation *seen = observations_find(list, metric, "timing");
    assert_non_null(seen);
    if (fabs(seen->value - value) > 0.005)
        fail_msg("%s is %g, expected %g", metric, seen->value, value);
    if (seen->low > value || seen->high < value)
        fail_msg("%s is from %g to %g, expected %g in it", metric, seen->low, seen->high, value);
    assert_true(seen->low <= seen->value && seen->value <= seen->high);
    assert_true(seen->high - seen->low < 0.05);
    assert_int_equal(seen->kind, EVIDENCE_INFERRED);
}

static void the_place_between_the_chases_is_the_share(void **state)
{
    (void)state;
    static const double places[] = {0, 0.3, 0.85, 1};
    json_t *manifest = of_loads();
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct race race = {0};
        struct observations list = {0};
        fill(&race, manifest, places[i]);
        assert_int_equal(timing_add_rates(&race, waits_for(LEVEL_L1, LEVEL_L2), &list, NULL), STATUS_OK);
        expect_seen(&list, "l1d.miss_rate", places[i]);
        expect_seen(&list, "served.L2", places[i]);
        expect_seen(&list, "served.L1", 1 - places[i]);
        assert_null(observations_find(&list, "branch.miss_rate", "timing"));
        observations_free(&list);
    }
    json_decref(manifest);
}

/* The interval holds the share by either of a level's two chases. */
static void a_level_whose_rings_differ_leaves_a_wider_interval(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    json_t *manifest = of_loads();
    fill_ticks(&race, manifest, LOW + LOADS * (10 + 0.5 * 21)); /* half of L2, half of L3, which is at 35 */
    assert_int_equal(timing_add_rates(&race, waits_for(LEVEL_L2, LEVEL_L3), &list, NULL), STATUS_OK);
    const struct observation *seen = observations_find(&list, "l2.miss_rate", "timing");
    assert_non_null(seen);
    assert_true(fabs(seen->value - 0.5) < 0.005);
    assert_true(seen->low < 10.5 / 22 && seen->high > 10.5 / 20);
    assert_true(seen->low > 0.43 && seen->high < 0.57);
    assert_non_null(observations_find(&list, "served.L3", "timing"));
    observations_free(&list);
    json_decref(manifest);
}

/* Loads that are all to come from L3 and take what L2 takes. What L3 did not serve L1 may have served: then
 * it served some at most. */
static void a_kernel_that_misses_its_level_is_seen(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    json_t *manifest = of_loads();
    struct timing_bound bound = waits_for(LEVEL_L2, LEVEL_L3);
    bound.levels.alone = true;
    fill_ticks(&race, manifest, HIGH);
    assert_int_equal(timing_add_rates(&race, bound, &list, NULL), STATUS_OK);
    const struct observation *seen = observations_find(&list, "served.L3", "timing");
    assert_non_null(seen);
    assert_true(seen->value < 0.005 && seen->low == 0);
    assert_true(seen->high > 10.0 / 32 && seen->high < 0.36);
    observations_free(&list);
    json_decref(manifest);
}

static void a_kernel_slower_than_its_level_has_no_share(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    struct error error = {0};
    json_t *manifest = of_loads();
    fill_ticks(&race, manifest, LOADS * 60);
    assert_int_equal(timing_add_rates(&race, waits_for(LEVEL_L2, LEVEL_L3), &list, &error),
                     STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "does not lie between"));
    assert_int_equal(list.count, 0);
    json_decref(manifest);
}

/* Misses of one set in random order: one comes at once after another with the probability of a miss, and
 * after one hit with that of a hit and a miss. */
static void misses_of_one_set_cost_what_its_ring_takes(void **state)
{
    (void)state;
    static const double shares[] = {0.1, 0.5, 0.9};
    json_t *manifest = of_loads();
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        struct race race = {0};
        struct observations list = {0};
        struct timing_bound bound = waits_for(LEVEL_L1, LEVEL_L2);
        double share = shares[i];
        bound.levels.conflicts = true;
        bound.levels.shuffled = true;
        bound.levels.again[0] = share;
        bound.levels.again[1] = share * (1 - share);
        fill_ticks(&race, manifest, LOW + LOADS * share * (10 + share * 3 + share * (1 - share) * 2));
        assert_int_equal(timing_add_rates(&race, bound, &list, NULL), STATUS_OK);
        const struct observation *seen = observations_find(&list, "served.L2", "timing");
        assert_non_null(seen);
        assert_true(fabs(seen->value - share) < 0.005);
        assert_true(seen->low < share && share < seen->high && seen->high - seen->low < 0.13);
        observations_free(&list);
    }
    json_decref(manifest);
}

/* Two sets in turn, with a hit before some: each miss has one load of the other set before the next of its
 * own, or that and a hit. Seven misses follow another of their set, three of them after one load. */
static void how_soon_sets_miss_again_is_read_from_the_order(void **state)
{
    (void)state;
    static const unsigned order[] = {1, 2, 1, 2, 0, 1, 2, 0, 1, 2, 1};
    json_t *accesses = json_array();
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        json_array_append_new(accesses, json_integer((json_int_t)(order[i] * 64 + i * 4096)));
    json_t *manifest = json_pack("{s:o, s:{s:[{s:i}, {s:i}]}}", "accesses", accesses, "data", "eviction_sets",
                                 "l1d_set", 1, "l1d_set", 2);
    struct timing_bound bound = timing_find_bound(given_manifest(manifest));
    assert_true(bound.levels.conflicts);
    assert_true(fabs(bound.levels.again[0] - 0) < 1e-12);
    assert_true(fabs(bound.levels.again[1] - 3.0 / 9) < 1e-12);
    assert_true(fabs(bound.levels.again[2] - 4.0 / 9) < 1e-12);
    json_decref(manifest);
}

/* The loop takes 6 ticks a load in L1, where its loads alone take 4: by a tenth of L2 at 14 the chain may
 * have come to 5 in the shade of the others, or the pass to 7. */
static void what_other_operations_may_hide_is_in_the_interval(void **state)
{
    (void)state;
    static const double passes[] = {4 + 0.4 * 10, 6 + 0.4 * 10};
    json_t *manifest = of_loads();
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        struct race race = {0};
        struct observations list = {0};
        struct timing_bound bound = waits_for(LEVEL_L1, LEVEL_L2);
        bound.levels.others = true;
        fill_ticks(&race, manifest, LOADS * passes[i]);
        for (size_t j = 0; j < race.rounds; j++)
            race.ticks_per_pass[TIMING_LOW_END][j] = 6 * LOADS;
        assert_int_equal(timing_add_rates(&race, bound, &list, NULL), STATUS_OK);
        const struct observation *seen = observations_find(&list, "served.L2", "timing");
        assert_non_null(seen);
        assert_true(seen->low <= 0.4 && seen->high >= 0.4);
        observations_free(&list);
    }
    json_decref(manifest);
}

/* The ends of a loop of branches need not be 0 and 1: they are what their own plans expect. */
static void branches_lie_between_what_the_ends_expect(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    fill(&race, NULL, 0.25);
    json_t *low = parse("{\"expected\":{\"branch.miss_rate\":0.1}}");
    json_t *high = parse("{\"expected\":{\"branch.miss_rate\":0.5}}");
    race.parts[TIMING_LOW_END].manifest = given_manifest(low);
    race.parts[TIMING_HIGH_END].manifest = given_manifest(high);
    assert_int_equal(timing_add_rates(&race, branches, &list, NULL), STATUS_OK);
    expect_seen(&list, "branch.miss_rate", 0.2);
    assert_null(observations_find(&list, "l1d.miss_rate", "timing"));
    observations_free(&list);
    json_decref(low);
    json_decref(high);
}

/* Half of the rounds of every part are disturbed, in turn and by different amounts. */
static void noise_that_adds_time_moves_nothing(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    json_t *manifest = of_loads();
    fill(&race, manifest, 0.3);
    for (size_t i = 0; i < race.rounds; i++) {
        for (size_t part = 0; part < race.count; part++)
            if ((i + part) % 2 == 0)
                race.ticks_per_pass[part][i] *= 1.2 + 0.3 * (double)part + 0.1 * (double)(i % 7);
        for (size_t chase = 0; chase < race.chases.count; chase++)
            if ((i + chase) % 2 == 0)
                race.ticks_per_load[chase][i] *= 1.1 + 0.2 * (double)(i % 3);
    }
    assert_int_equal(timing_add_rates(&race, waits_for(LEVEL_L1, LEVEL_L2), &list, NULL), STATUS_OK);
    expect_seen(&list, "l1d.miss_rate", 0.3);
    observations_free(&list);
    json_decref(manifest);
}

static void expect_no_number(struct race *race, struct timing_bound bound, const char *why)
{
    struct observations list = {0};
    struct error error = {0};
    assert_int_equal(timing_add_rates(race, bound, &list, &error), STATUS_UNAVAILABLE);
    if (strstr(error.message, why) == NULL)
        fail_msg("expected \"%s\" in: %s", why, error.message);
    assert_int_equal(list.count, 0);
}

static void ends_that_are_near_tell_nothing(void **state)
{
    (void)state;
    struct race race = {0};
    json_t *manifest = of_loads();
    fill(&race, manifest, 0.3);
    for (size_t i = 0; i < race.rounds; i++)
        race.ticks_per_pass[TIMING_HIGH_END][i] = 1.2 * LOW;
    expect_no_number(&race, branches, "1.20 times");
    for (size_t chase = 0; chase < race.chases.count; chase++)
        for (size_t i = 0; race.chases.items[chase].level == LEVEL_L3 && i < race.rounds; i++)
            race.ticks_per_load[chase][i] = 390;
    expect_no_number(&race, waits_for(LEVEL_L3, LEVEL_MEM), "too close");
    json_decref(manifest);
}

/* Two cycles a tick: L3 at 34 ticks is 68 cycles. */
static void a_level_that_is_far_from_the_ladder_tells_nothing(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    struct machine machine = {.latency_l3 = 60};
    json_t *manifest = of_loads();
    fill_ticks(&race, manifest, LOADS * 20);
    race.parts[TIMING_TEST_PROGRAM].machine = &machine;
    assert_int_equal(timing_add_rates(&race, waits_for(LEVEL_L2, LEVEL_L3), &list, NULL), STATUS_OK);
    observations_free(&list);
    machine.latency_l3 = 40;
    expect_no_number(&race, waits_for(LEVEL_L2, LEVEL_L3), "68 cycles");
    json_decref(manifest);
}

/* Somebody drives lines out of L3: now and then, or between loads that are rare. */
static void others_in_l3_tell_nothing(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    json_t *manifest = of_loads();
    fill_ticks(&race, manifest, LOADS * 20);
    size_t waiting = race.chases.count;
    add_chase(&race, (struct plain_chase){.level = LEVEL_L3, .delay = 100},
              35 + 100 * CLOCK_TICKS / CLOCK_CYCLES);
    assert_int_equal(timing_add_rates(&race, waits_for(LEVEL_L2, LEVEL_L3), &list, NULL), STATUS_OK);
    observations_free(&list);
    for (size_t i = 0; i < race.rounds; i++)
        race.ticks_per_load[waiting][i] += 20;
    expect_no_number(&race, waits_for(LEVEL_L2, LEVEL_L3), "loads as seldom");
    race.chases.count = waiting;
    for (size_t i = 0; i < race.rounds; i++)
        race.ticks_per_pass[TIMING_TEST_PROGRAM][i] *= i % 3 == 0 ? 1 : 1.5;
    expect_no_number(&race, waits_for(LEVEL_L2, LEVEL_L3), "in some rounds");
    assert_int_equal(timing_add_rates(&race, waits_for(LEVEL_L1, LEVEL_MEM), &list, NULL), STATUS_OK);
    observations_free(&list);
    json_decref(manifest);
}

/* Rounds of which half take as long again as the others: no interval that would help anybody. */
static void rounds_that_differ_much_tell_nothing(void **state)
{
    (void)state;
    struct race race = {0};
    json_t *manifest = of_loads();
    fill(&race, manifest, 0.3);
    for (size_t i = 0; i < race.rounds; i++)
        race.ticks_per_pass[TIMING_TEST_PROGRAM][i] =
            LOW + (double)i / (double)race.rounds * 4 * (HIGH - LOW);
    expect_no_number(&race, waits_for(LEVEL_L1, LEVEL_L2), "too wide a range");
    json_decref(manifest);
}

/* 250 ticks are 500 cycles: two cycles a tick. 700 ticks are 1,400 cycles, in which 2,800 instructions ran.
 */
static void ipc_is_in_the_cores_cycles(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    fill(&race, NULL, 0.3);
    json_t *test_program = parse("{\"instructions\":2800}");
    race.parts[TIMING_TEST_PROGRAM].manifest = given_manifest(test_program);
    timing_add_ipc(&race, &list);
    expect_seen(&list, "ipc", 2);
    observations_free(&list);
    json_decref(test_program);
}

#define LOAD(address, served) "{\"op\":\"load\",\"served\":{" served "},\"address\":\"" address "\"}"
#define HALF "\"L1\":0.5,\"L2\":0.5"
#define HITS "\"L1\":1,\"L2\":0"
#define STORE "{\"op\":\"store\",\"served\":{\"L1\":1}}"
#define BRANCH "{\"op\":\"branch\",\"accuracy\":0.9}"
#define CODE "{\"op\":\"code\",\"fetched\":{\"L1I\":0.5,\"L2\":0.5}}"
#define TLB "{\"op\":\"tlb\",\"miss_rate\":0.1}"
#define INVITED "{\"op\":\"load\",\"served\":{\"MEM\":1},\"address\":\"chase\",\"prefetch\":\"invite\"}"
#define ADD "{\"op\":\"add\",\"count\":2}"

static void kernels_are_known_by_what_bounds_them(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        enum bound bound;
        enum memory_level low, high;
        bool alone;
        const char *why_not;
    } rows[] = {
        {LOAD("chase", HALF), BOUND_LATENCY, LEVEL_L1, LEVEL_L2, false, NULL},
        {LOAD("chase", HALF) "," ADD, BOUND_LATENCY, LEVEL_L1, LEVEL_L2, false, NULL},
        {LOAD("chase", HITS), BOUND_LATENCY, LEVEL_L1, LEVEL_L2, true, NULL},
        {LOAD("chase", "\"L1\":0.9,\"MEM\":0.1"), BOUND_LATENCY, LEVEL_L1, LEVEL_MEM, false, NULL},
        {LOAD("chase", "\"L2\":0.9,\"L3\":0.1"), BOUND_LATENCY, LEVEL_L2, LEVEL_L3, false, NULL},
        {LOAD("chase", "\"L3\":1"), BOUND_LATENCY, LEVEL_L2, LEVEL_L3, true, NULL},
        {LOAD("chase", "\"L1\":0.5,\"L2\":0.3,\"L3\":0.2"), BOUND_OTHER, 0, 0, false, "more than two"},
        {LOAD("chase", HALF) "," STORE, BOUND_OTHER, 0, 0, false, "store misses"},
        {LOAD("independent", HALF), BOUND_OTHER, 0, 0, false, "overlap"},
        {LOAD("chase", HALF) "," LOAD("independent", HITS), BOUND_OTHER, 0, 0, false, "overlap"},
        {LOAD("chase", HALF) "," CODE, BOUND_OTHER, 0, 0, false, "code"},
        {LOAD("chase", HALF) "," TLB, BOUND_OTHER, 0, 0, false, "translations"},
        {INVITED, BOUND_OTHER, 0, 0, false, "prefetchers"},
        {BRANCH "," CODE, BOUND_OTHER, 0, 0, false, "code"},
        {BRANCH, BOUND_BRANCHES, 0, 0, false, NULL},
        {BRANCH "," ADD, BOUND_BRANCHES, 0, 0, false, NULL},
        {BRANCH "," LOAD("independent", HITS), BOUND_BRANCHES, 0, 0, false, NULL},
        {BRANCH "," LOAD("chase", HALF), BOUND_OTHER, 0, 0, false, "branches"},
        {ADD, BOUND_OTHER, 0, 0, false, "nothing in it waits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"kernel\":{\"unit\":[%s]}}", rows[i].unit);
        json_t *manifest = parse(text);
        struct timing_bound found = timing_find_bound(given_manifest(manifest));
        bool same_levels = rows[i].bound != BOUND_LATENCY ||
                           (found.levels.low == rows[i].low && found.levels.high == rows[i].high &&
                            found.levels.alone == rows[i].alone);
        if (found.bound != rows[i].bound || !same_levels)
            fail_msg("%s: %d, %d to %d", rows[i].unit, found.bound, found.levels.low, found.levels.high);
        if ((found.why_not == NULL) != (rows[i].why_not == NULL) ||
            (found.why_not != NULL && strstr(found.why_not, rows[i].why_not) == NULL))
            fail_msg("%s: %s", rows[i].unit, found.why_not == NULL ? "no reason" : found.why_not);
        json_decref(manifest);
    }
}

/* Instructions per pass of the clock of a program with this unit: what ends the loop is not among them. */
static double clock_instructions(const char *unit)
{
    static const char description[] =
        "{\"name\":\"wide\",\"isa\":\"x86_64\",\"features\":[\"sse2\",\"avx\",\"avx2\",\"fma\",\"avx512f\"],"
        "\"caches\":{"
        "\"L1I\":{\"size\":32768,\"ways\":8,\"line\":64},\"L1D\":{\"size\":32768,\"ways\":8,\"line\":64},"
        "\"L2\":{\"size\":1048576,\"ways\":16,\"line\":64}}}";
    struct error error = {0};
    struct machine machine = {0};
    struct code_generator code_generator;
    struct race race = {0};
    json_t *document = parse(description);
    if (machine_from_json(document, "wide", &machine, &error) != STATUS_OK ||
        code_generator_open("x86_64", &code_generator, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    json_decref(document);
    document = json_pack("{s:{s:o}}", "kernel", "unit", parse(unit));
    const struct test_program test_program = {.manifest = given_manifest(document), .machine = &machine};
    json_decref(document);
    if (race_add_clock(&race, &test_program, &code_generator, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_true(race.clock_cycles == CLOCK_CYCLES);
    double instructions = race.parts[0].manifest->instructions;
    code_generator_close(&code_generator);
    race_free(&race);
    machine_free(&machine);
    return instructions;
}

/* Vectors of 32 bytes and more make the core slower: the clock has one beside every four of its additions. */
static void the_clock_has_wide_vectors_beside_it_where_the_program_has(void **state)
{
    static const double beside = 0.25;
    (void)state;
    const struct {
        const char *unit;
        bool wide;
    } cases[] = {
        {"[{\"op\":\"add\",\"count\":4}]", false},
        {"[{\"op\":\"fma\",\"count\":4,\"width\":16}]", false},
        {"[{\"op\":\"fma\",\"count\":4,\"width\":32}]", true},
        {"[{\"op\":\"add\",\"count\":4},{\"op\":\"xor\",\"count\":4,\"width\":64}]", true},
        {"[{\"op\":\"load\",\"count\":4,\"served\":{\"L1\":1},\"width\":64}]", false},
        {"[{\"op\":\"asm\",\"text\":\"vmulpd {r0}, {r0}, {r0}\",\"registers\":[\"ymm3\"]}]", true},
        {"[{\"op\":\"asm\",\"text\":\"vpaddd %zmm17, %zmm17, %zmm17\",\"registers\":[\"zmm17\"]}]", true},
        {"[{\"op\":\"asm\",\"text\":\"mulpd {r0}, {r0}\",\"registers\":[\"xmm3\"]}]", false},
        {"[{\"op\":\"asm\",\"text\":\"imulq {r0}, {r0}\",\"registers\":2}]", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double found = clock_instructions(cases[i].unit);
        double expected = CLOCK_CYCLES * (cases[i].wide ? 1 + beside : 1);
        if (found != expected)
            fail_msg("%s: %g instructions, expected %g", cases[i].unit, found, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_place_between_the_chases_is_the_share),
        cmocka_unit_test(a_level_whose_rings_differ_leaves_a_wider_interval),
        cmocka_unit_test(a_kernel_that_misses_its_level_is_seen),
        cmocka_unit_test(a_kernel_slower_than_its_level_has_no_share),
        cmocka_unit_test(misses_of_one_set_cost_what_its_ring_takes),
        cmocka_unit_test(how_soon_sets_miss_again_is_read_from_the_order),
        cmocka_unit_test(what_other_operations_may_hide_is_in_the_interval),
        cmocka_unit_test(branches_lie_between_what_the_ends_expect),
        cmocka_unit_test(noise_that_adds_time_moves_nothing),
        cmocka_unit_test(ends_that_are_near_tell_nothing),
        cmocka_unit_test(a_level_that_is_far_from_the_ladder_tells_nothing),
        cmocka_unit_test(others_in_l3_tell_nothing),
        cmocka_unit_test(rounds_that_differ_much_tell_nothing),
        cmocka_unit_test(ipc_is_in_the_cores_cycles),
        cmocka_unit_test(kernels_are_known_by_what_bounds_them),
        cmocka_unit_test(the_clock_has_wide_vectors_beside_it_where_the_program_has),
    };
    return cmocka_run_group_tests_name("runner/timing", tests, NULL, NULL);
}
