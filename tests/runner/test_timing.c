/* The source "timing" without running anything: rounds that are made up, of which the rates are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "runner/counters/timing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ticks a pass of the ends: no misses, and nothing but misses. */
static const double LOW = 400;
static const double HIGH = 1400;
static const double CLOCK_TICKS = 250;

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);
    if (document == NULL)
        fail_msg("%s: %s", error.text, text);
    return document;
}

/* Rounds of a subject that stands at `place` between the ends, each part with its own noise of some 0.1 %. */
static void fill(struct race *race, double place)
{
    race->count = 4;
    race->rounds = REFERENCE_ROUNDS;
    for (size_t i = 0; i < race->rounds; i++) {
        double jitter = 1 + 0.001 * (double)(i % 5) / 5;
        race->ticks_per_pass[TIMING_SUBJECT][i] = (LOW + place * (HIGH - LOW)) * jitter;
        race->ticks_per_pass[TIMING_CLOCK][i] = CLOCK_TICKS;
        race->ticks_per_pass[TIMING_LOW_END][i] = LOW * jitter;
        race->ticks_per_pass[TIMING_HIGH_END][i] = HIGH * jitter;
    }
}

/* The metric is `value`, and its interval holds it. */
static void expect_seen(const struct observations *list, const char *metric, double value)
{
    const struct observation *seen = observations_find(list, metric, "timing");
    assert_non_null(seen);
    if (fabs(seen->value - value) > 0.005)
        fail_msg("%s is %g, expected %g", metric, seen->value, value);
    assert_true(seen->low <= seen->value && seen->value <= seen->high);
    assert_true(seen->high - seen->low < 0.02);
    assert_string_equal(seen->kind, "inferred");
}

static void the_place_between_the_ends_is_the_rate(void **state)
{
    (void)state;
    static const double places[] = {0, 0.3, 0.85, 1};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct race race = {0};
        struct observations list = {0};
        fill(&race, places[i]);
        assert_int_equal(
            timing_add_rates(&race, (struct timing_bound){BOUND_LATENCY, LEVEL_L1, LEVEL_L2}, &list, NULL),
            STATUS_OK);
        expect_seen(&list, "l1d.miss_rate", places[i]);
        expect_seen(&list, "served.L2", places[i]);
        expect_seen(&list, "served.L1", 1 - places[i]);
        assert_null(observations_find(&list, "branch.miss_rate", "timing"));
        observations_free(&list);
    }
}

/* The ends of a loop of branches need not be 0 and 1: they are what their own plans expect. */
static void branches_lie_between_what_the_ends_expect(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    fill(&race, 0.25);
    json_t *low = parse("{\"expected\":{\"branch.miss_rate\":0.1}}");
    json_t *high = parse("{\"expected\":{\"branch.miss_rate\":0.5}}");
    race.parts[TIMING_LOW_END].manifest = low;
    race.parts[TIMING_HIGH_END].manifest = high;
    assert_int_equal(
        timing_add_rates(&race, (struct timing_bound){BOUND_BRANCHES, LEVEL_L1, LEVEL_L1}, &list, NULL),
        STATUS_OK);
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
    fill(&race, 0.3);
    for (size_t i = 0; i < race.rounds; i++)
        for (size_t part = 0; part < race.count; part++)
            if ((i + part) % 2 == 0)
                race.ticks_per_pass[part][i] *= 1.2 + 0.3 * (double)part + 0.1 * (double)(i % 7);
    assert_int_equal(
        timing_add_rates(&race, (struct timing_bound){BOUND_LATENCY, LEVEL_L1, LEVEL_L2}, &list, NULL),
        STATUS_OK);
    expect_seen(&list, "l1d.miss_rate", 0.3);
    observations_free(&list);
}

static void ends_that_are_near_tell_nothing(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    struct error error = {0};
    fill(&race, 0.3);
    for (size_t i = 0; i < race.rounds; i++)
        race.ticks_per_pass[TIMING_HIGH_END][i] = 1.2 * LOW;
    assert_int_equal(
        timing_add_rates(&race, (struct timing_bound){BOUND_LATENCY, LEVEL_L1, LEVEL_L2}, &list, &error),
        STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "1.20 times"));
    assert_int_equal(list.count, 0);
}

/* 250 ticks are 500 cycles: two cycles a tick. 700 ticks are 1,400 cycles, in which 2,800 instructions ran.
 */
static void ipc_is_in_the_cores_cycles(void **state)
{
    (void)state;
    struct race race = {0};
    struct observations list = {0};
    fill(&race, 0.3);
    json_t *subject = parse("{\"instructions\":2800}");
    json_t *chain = parse("{\"instructions\":500}");
    race.parts[TIMING_SUBJECT].manifest = subject;
    race.parts[TIMING_CLOCK].manifest = chain;
    timing_add_ipc(&race, &list);
    expect_seen(&list, "ipc", 2);
    observations_free(&list);
    json_decref(subject);
    json_decref(chain);
}

#define LOAD(address, served) "{\"op\":\"load\",\"served\":{" served "},\"address\":\"" address "\"}"
#define HALF "\"L1\":0.5,\"L2\":0.5"
#define HITS "\"L1\":1,\"L2\":0"
#define STORE "{\"op\":\"store\",\"served\":{\"L1\":1}}"
#define BRANCH "{\"op\":\"branch\",\"accuracy\":0.9}"
#define CODE "{\"op\":\"code\",\"fetched\":{\"L1I\":0.5,\"L2\":0.5}}"
#define ADD "{\"op\":\"add\",\"count\":2}"

static void kernels_are_known_by_what_bounds_them(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        struct timing_bound bound;
    } rows[] = {
        {LOAD("chase", HALF), {BOUND_LATENCY, LEVEL_L1, LEVEL_L2}},
        {LOAD("chase", HALF) "," ADD, {BOUND_LATENCY, LEVEL_L1, LEVEL_L2}},
        {LOAD("chase", HITS), {BOUND_LATENCY, LEVEL_L1, LEVEL_L2}},
        {LOAD("chase", "\"L1\":0.9,\"MEM\":0.1"), {BOUND_LATENCY, LEVEL_L1, LEVEL_MEM}},
        {LOAD("chase", "\"L2\":0.9,\"L3\":0.1"), {BOUND_LATENCY, LEVEL_L2, LEVEL_L3}},
        {LOAD("chase", "\"L3\":1"), {BOUND_LATENCY, LEVEL_L1, LEVEL_L3}},
        {LOAD("chase", "\"L1\":0.5,\"L2\":0.3,\"L3\":0.2"), {BOUND_OTHER, 0, 0}},
        {LOAD("chase", HALF) "," STORE, {BOUND_OTHER, 0, 0}},
        {LOAD("independent", HALF), {BOUND_OTHER, 0, 0}},
        {LOAD("chase", HALF) "," LOAD("independent", HITS), {BOUND_OTHER, 0, 0}},
        {LOAD("chase", HALF) "," CODE, {BOUND_OTHER, 0, 0}},
        {BRANCH "," CODE, {BOUND_OTHER, 0, 0}},
        {BRANCH, {BOUND_BRANCHES, 0, 0}},
        {BRANCH "," ADD, {BOUND_BRANCHES, 0, 0}},
        {BRANCH "," LOAD("independent", HITS), {BOUND_BRANCHES, 0, 0}},
        {BRANCH "," LOAD("chase", HALF), {BOUND_OTHER, 0, 0}},
        {ADD, {BOUND_OTHER, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"kernel\":{\"unit\":[%s]}}", rows[i].unit);
        json_t *manifest = parse(text);
        struct timing_bound found = timing_find_bound(manifest);
        const struct timing_bound *wanted = &rows[i].bound;
        bool same_levels =
            wanted->bound != BOUND_LATENCY || (found.low == wanted->low && found.high == wanted->high);
        if (found.bound != wanted->bound || !same_levels)
            fail_msg("%s: %d, %d to %d", rows[i].unit, found.bound, found.low, found.high);
        json_decref(manifest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_place_between_the_ends_is_the_rate),
        cmocka_unit_test(branches_lie_between_what_the_ends_expect),
        cmocka_unit_test(noise_that_adds_time_moves_nothing),
        cmocka_unit_test(ends_that_are_near_tell_nothing),
        cmocka_unit_test(ipc_is_in_the_cores_cycles),
        cmocka_unit_test(kernels_are_known_by_what_bounds_them),
    };
    return cmocka_run_group_tests_name("runner/timing", tests, NULL, NULL);
}
