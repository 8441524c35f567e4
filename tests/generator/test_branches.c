/* The number of random, taken and untaken branches over accuracies, shares taken and loop sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "generator/plan/code/branches.h"

#include <math.h>
#include <string.h>

static struct behaviour a_branch(unsigned count, double accuracy, double taken)
{
    return (struct behaviour){
        .op = "branch", .kind = BEHAVIOUR_BRANCH, .count = count, .accuracy = accuracy, .taken = taken};
}

static void counts_add_up(void **state)
{
    (void)state;
    struct random random = random_start(1, "branches");
    for (int i = 0; i < 5000; i++) {
        double accuracy = 0.5 + random_below(&random, 501) / 1000.0;
        double taken = random_below(&random, 2) == 0 ? -1 : random_below(&random, 1001) / 1000.0;
        unsigned units = 1 + random_below(&random, 300);
        struct behaviour items[] = {a_branch(1 + random_below(&random, 3), accuracy, taken)};
        struct kernel kernel = {.items = items, .count = 1};
        struct branch_counts counts = branches_all(&kernel, units);
        assert_int_equal(counts.total, units * items[0].count);
        assert_int_equal(counts.random + counts.taken + counts.fallthrough, counts.total);
        assert_true(counts.taken >= 1); /* the back edge */
        assert_true(fabs(branches_miss_rate(&counts) - branches_wanted(&kernel)) <=
                    0.5 / counts.total + 1e-9);
        if (branches_check(&kernel, NULL) == STATUS_OK && taken >= 0)
            assert_true(fabs(branches_taken_rate(&counts) - taken) <= 1.5 / counts.total + 1e-9);
    }
}

/* The paper: predictable branches taken and not taken in equal parts. */
static void predictable_ones_go_both_ways(void **state)
{
    (void)state;
    struct behaviour items[] = {a_branch(1, 0.9, -1)};
    struct kernel kernel = {.items = items, .count = 1};
    struct branch_counts counts = branches_all(&kernel, 100);
    assert_int_equal(counts.random, 20);
    assert_int_equal(counts.taken, 40);
    assert_int_equal(counts.fallthrough, 40);
}

static void several_behaviours_are_weighed(void **state)
{
    (void)state;
    struct behaviour items[] = {a_branch(1, 1, -1), a_branch(3, 0.8, -1)};
    struct kernel kernel = {.items = items, .count = 2};
    assert_true(fabs(branches_wanted(&kernel) - 0.15) < 1e-12);
    struct branch_counts counts = branches_all(&kernel, 50);
    assert_int_equal(counts.total, 200);
    assert_int_equal(counts.random, 60);
}

/* The back edge is conditional: it is one of the conditional behaviour's, and of the indirect one's where
 * there is no other. */
static void indirect_branches_are_always_taken(void **state)
{
    (void)state;
    struct behaviour items[] = {a_branch(1, 0.8, -1), a_branch(1, 0.9, 0.5)};
    items[0].indirect = true;
    struct kernel kernel = {.items = items, .count = 2};
    struct branch_counts counts = branches_all(&kernel, 50);
    assert_int_equal(counts.total, 100);
    assert_int_equal(counts.indirect, 50);
    assert_int_equal(counts.random, 30);
    assert_int_equal(counts.indirect_random, 20);
    assert_int_equal(counts.fallthrough, 20);
    assert_true(fabs(branches_taken_rate(&counts) - (50 + 25) / 100.0) < 1e-12);
    assert_true(fabs(branches_miss_rate(&counts) - 0.15) < 1e-12);
    kernel.count = 1;
    counts = branches_all(&kernel, 50);
    assert_int_equal(counts.indirect, 49);
    assert_int_equal(counts.taken, 30);
    assert_int_equal(counts.fallthrough, 0);
    items[0].accuracy = 0.5;
    assert_int_equal(branches_all(&kernel, 50).random, 49);
}

static void impossible_shares_are_refused(void **state)
{
    (void)state;
    struct error error;
    struct behaviour items[] = {a_branch(1, 0.9, 0.95)};
    struct kernel kernel = {.items = items, .count = 1};
    assert_int_equal(branches_check(&kernel, &error), STATUS_RECIPE);
    assert_non_null(strstr(error.message, "leaves 0.1 to 0.9"));
    items[0].taken = 0.9;
    assert_int_equal(branches_check(&kernel, &error), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_add_up),
        cmocka_unit_test(predictable_ones_go_both_ways),
        cmocka_unit_test(several_behaviours_are_weighed),
        cmocka_unit_test(indirect_branches_are_always_taken),
        cmocka_unit_test(impossible_shares_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
