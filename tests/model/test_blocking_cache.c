/* The blocking cache of the 2001 paper: equation 1 at the ends and in between. */
#include "model/incremental/blocking_cache.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-12);
}

static void every_load_hits(void **state)
{
    (void)state;
    expect_near(blocking_cache_ipc(1 / 2.7, 3, 1), 2.7); /* the paper's base IPC */
}

static void no_load_hits(void **state)
{
    (void)state;
    expect_near(blocking_cache_ipc(0.5, 3.5, 0), 0.25);
}

static void cycles_per_instruction_are_linear_in_the_hit_rate(void **state)
{
    (void)state;
    double ends = 1 / blocking_cache_ipc(0.4, 8, 0) + 1 / blocking_cache_ipc(0.4, 8, 1);
    expect_near(1 / blocking_cache_ipc(0.4, 8, 0.5), ends / 2);
}

static void a_miss_that_costs_nothing_changes_nothing(void **state)
{
    (void)state;
    expect_near(blocking_cache_ipc(0.4, 0, 0.3), 2.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_load_hits),
        cmocka_unit_test(no_load_hits),
        cmocka_unit_test(cycles_per_instruction_are_linear_in_the_hit_rate),
        cmocka_unit_test(a_miss_that_costs_nothing_changes_nothing),
    };
    return cmocka_run_group_tests_name("model/blocking_cache", tests, NULL, NULL);
}
