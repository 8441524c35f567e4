/* The minimum of several estimates: its interval, and its value for numbers of about the same size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/fitting/least.h"
#include "synthetic.h"

#include <math.h>

static void one_estimate_has_students_interval(void **state)
{
    (void)state;
    size_t which = 7;
    const struct least_estimate known = {10, 1, 100000};
    struct interval seen = least_of(&known, 1, &which);
    assert_int_equal(which, 0);
    assert_float_equal(seen.value, 10, 0.1);
    assert_float_equal(seen.low, 10 - 1.96, 0.12);
    assert_float_equal(seen.high, 10 + 1.96, 0.12);
    /* Of four degrees of freedom 2.776 hold as much. */
    const struct least_estimate few = {10, 1, 4};
    seen = least_of(&few, 1, &which);
    assert_float_equal(seen.high, 10 + 2.776, 0.3);
}

static void what_is_exact_or_far_above_changes_nothing(void **state)
{
    (void)state;
    size_t which;
    const struct least_estimate exact[] = {{3, 0, 1}, {2, 0, 1}, {2.5, 0, 1}};
    struct interval seen = least_of(exact, 3, &which);
    assert_int_equal(which, 1);
    assert_float_equal(seen.value, 2, 0);
    assert_float_equal(seen.high - seen.low, 0, 0);
    const struct least_estimate above[] = {{10, 1, 50}, {50, 1, 50}, {90, 2, 50}};
    struct interval alone = least_of(above, 1, &which);
    seen = least_of(above, 3, &which);
    assert_float_equal(seen.low, alone.low, 1e-12);
    assert_float_equal(seen.high, alone.high, 1e-12);
}

/* Five numbers that are the same: the least estimate is 1.16 standard errors too low. */
static void luck_is_not_taken_for_truth(void **state)
{
    (void)state;
    enum { SETS = 200, COUNT = 5 };
    struct random random = random_start(3, "least");
    double lowest = 0;
    double told = 0;
    size_t inside = 0;
    for (size_t k = 0; k < SETS; k++) {
        struct least_estimate estimates[COUNT];
        size_t which;
        for (size_t i = 0; i < COUNT; i++)
            estimates[i] = (struct least_estimate){100 + synthetic_normal(&random), 1, 40};
        struct interval seen = least_of(estimates, COUNT, &which);
        lowest += (estimates[which].value - 100) / SETS;
        told += (seen.value - 100) / SETS;
        inside += seen.low <= 100 && 100 <= seen.high;
    }
    assert_true(lowest < -1);
    assert_true(fabs(told) < 0.6 * fabs(lowest));
    assert_true(inside >= 180);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_estimate_has_students_interval),
        cmocka_unit_test(what_is_exact_or_far_above_changes_nothing),
        cmocka_unit_test(luck_is_not_taken_for_truth),
    };
    return cmocka_run_group_tests_name("model/least", tests, NULL, NULL);
}
