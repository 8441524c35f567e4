/* The size of the loop: whole units, about 800 instructions, and rates that come out exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/plan/memory/eviction_layout.h"
#include "generator/plan/sizing.h"

#include <math.h>
#include <string.h>

/* A Pentium Pro's caches. */
static const struct machine machine = {
    .l1i = {.size = 8192, .ways = 4, .line = 32},
    .l1d = {.size = 8192, .ways = 2, .line = 32},
    .l2 = {.size = 262144, .ways = 4, .line = 32},
};

struct outcome {
    struct behaviour items[2];
    struct kernel kernel;
    struct arena arena;
    struct sizing sizing;
    enum status status;
    struct error error;
};

/* Sizes a loop of one load and two additions. */
static void size_loop(double miss_rate, unsigned units, unsigned instructions, struct outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->items[0] = (struct behaviour){
        .op = "load", .count = 1, .kind = BEHAVIOUR_LOAD, .served = {1 - miss_rate, miss_rate}, .width = 8};
    outcome->items[1] = (struct behaviour){.op = "add", .count = 2};
    outcome->kernel = (struct kernel){
        .items = outcome->items, .count = 2, .loop_units = units, .loop_instructions = instructions};
    const struct sizing_request request = {.kernel = &outcome->kernel,
                                           .machine = &machine,
                                           .unit_instructions = 3,
                                           .unit_bytes = 13,
                                           .loop_bytes = 64,
                                           .depth = 4,
                                           .room = eviction_layout_room(&machine.l1d, &machine.l2),
                                           .cost_above = -1};
    outcome->status = sizing_choose(&request, &outcome->arena, &outcome->sizing, &outcome->error);
}

/* Misses over loads, as the sizing has them. */
static double reached(const struct sizing *sizing)
{
    double misses = (double)sizing->served[0][LEVEL_L2] * sizing->period + sizing->sometimes;
    return misses / ((double)sizing->units * sizing->period);
}

static void every_percent_is_reached(void **state)
{
    (void)state;
    for (int percent = 0; percent <= 100; percent++) {
        struct outcome outcome;
        size_loop(percent / 100.0, 0, 0, &outcome);
        if (outcome.status != STATUS_OK)
            fail_msg("%d %%: %s", percent, outcome.error.message);
        const struct sizing *sizing = &outcome.sizing;
        assert_true(fabs(reached(sizing) - percent / 100.0) < 1e-9);
        assert_int_equal(100 % sizing->period, 0);
        assert_int_equal(sizing->total, sizing->served[0][LEVEL_L2]);
        assert_true(sizing->sometimes < sizing->period);
        assert_int_equal(sizing->sometimes > 0, sizing->schedule_count == 1);
        assert_in_range(sizing->units * 3, 500, 1200);
        assert_true(sizing->units * 13 + 64 <= machine.l1i.size);
        arena_free(&outcome.arena);
    }
}

static void the_recipe_may_choose_the_size(void **state)
{
    (void)state;
    struct outcome outcome;
    size_loop(0.5, 30, 0, &outcome);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(outcome.sizing.units, 30);
    arena_free(&outcome.arena);
    size_loop(0.5, 0, 120, &outcome);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_in_range(outcome.sizing.units, 35, 45);
    arena_free(&outcome.arena);
}

static void a_loop_larger_than_l1i_is_refused(void **state)
{
    (void)state;
    struct outcome outcome;
    size_loop(0.5, 1000, 0, &outcome);
    assert_int_equal(outcome.status, STATUS_RECIPE);
    assert_non_null(strstr(outcome.error.message, "L1I (8KiB)"));
    assert_non_null(strstr(outcome.error.hint, "units fit"));
    arena_free(&outcome.arena);
}

static void a_rate_that_cannot_be_is_refused_with_the_nearest(void **state)
{
    (void)state;
    struct outcome outcome;
    size_loop(0.0001, 10, 0, &outcome);
    assert_int_equal(outcome.status, STATUS_RECIPE);
    assert_non_null(strstr(outcome.error.hint, "nearest reachable"));
    arena_free(&outcome.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_percent_is_reached),
        cmocka_unit_test(the_recipe_may_choose_the_size),
        cmocka_unit_test(a_loop_larger_than_l1i_is_refused),
        cmocka_unit_test(a_rate_that_cannot_be_is_refused_with_the_nearest),
    };
    return cmocka_run_group_tests_name("generator/sizing", tests, NULL, NULL);
}
