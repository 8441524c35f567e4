/* The fraction that a rate means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/rational.h"

#include <math.h>

static void expect_fraction(double value, uint64_t numerator, uint64_t denominator)
{
    struct rational found = rational_of(value);
    if (found.numerator != numerator || found.denominator != denominator)
        fail_msg("%.17g is %llu/%llu instead of %llu/%llu", value, (unsigned long long)found.numerator,
                 (unsigned long long)found.denominator, (unsigned long long)numerator,
                 (unsigned long long)denominator);
}

static void decimals_are_what_they_say(void **state)
{
    (void)state;
    expect_fraction(0, 0, 1);
    expect_fraction(1, 1, 1);
    expect_fraction(0.37, 37, 100);
    expect_fraction(1 - 0.7, 3, 10);
    expect_fraction(0.1 * 3, 3, 10);
    expect_fraction(1.0 / 3, 1, 3);
    expect_fraction(0.000001, 1, 1000000);
}

/* Two fractions with denominators up to 10000 are 1e-8 apart or more: the one that was meant is found. */
static void every_fraction_is_found_again(void **state)
{
    (void)state;
    struct random random = random_start(1, "rational");
    for (int i = 0; i < 20000; i++) {
        uint64_t denominator = 1 + random_below(&random, 10000);
        uint64_t numerator = random_below(&random, (uint32_t)denominator + 1);
        uint64_t common = rational_gcd(numerator, denominator);
        expect_fraction((double)numerator / (double)denominator, numerator / common, denominator / common);
    }
}

static void any_value_comes_near(void **state)
{
    (void)state;
    struct random random = random_start(2, "rational");
    for (int i = 0; i < 20000; i++) {
        double value = random_next(&random) / 4294967296.0;
        struct rational found = rational_of(value);
        assert_true(found.denominator >= 1);
        assert_int_equal(rational_gcd(found.numerator, found.denominator), 1);
        assert_true(fabs((double)found.numerator / (double)found.denominator - value) <= 1e-9);
    }
}

/* A rate below the precision is no rate; above it, it keeps its size. */
static void tiny_values_keep_their_size(void **state)
{
    (void)state;
    expect_fraction(1e-10, 0, 1);
    struct rational found = rational_of(6e-7);
    assert_true(fabs((double)found.numerator / (double)found.denominator / 6e-7 - 1) < 1e-3);
}

static void common_divisors(void **state)
{
    (void)state;
    assert_int_equal(rational_gcd(12, 18), 6);
    assert_int_equal(rational_gcd(0, 7), 7);
    assert_int_equal(rational_gcd(7, 0), 7);
    assert_int_equal(rational_gcd(1, UINT64_MAX), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_what_they_say),
        cmocka_unit_test(every_fraction_is_found_again),
        cmocka_unit_test(any_value_comes_near),
        cmocka_unit_test(tiny_values_keep_their_size),
        cmocka_unit_test(common_divisors),
    };
    return cmocka_run_group_tests_name("base/rational", tests, NULL, NULL);
}
