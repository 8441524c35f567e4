/* Outliers: found where there are some, rarely where there are none. */
#include "base/random.h"
#include "base/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double uniform(struct random *random)
{
    return (random_below(random, 1u << 30) + 0.5) / (1u << 30);
}

/* Box and Muller. */
static double normal(struct random *random)
{
    double radius = sqrt(-2 * log(uniform(random)));
    return radius * cos(6.283185307179586 * uniform(random));
}

static void test_far_samples_are_found(void **state)
{
    (void)state;
    const double samples[] = {100, 101, 99, 100.5, 140, 99.5};
    bool far[6];
    assert_int_equal(stats_outliers(samples, 6, 0.02, far), 1);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(far[i], i == 4);
    /* The same the other way round, and below 0. */
    const double below[] = {-100, -101, -99, -100.5, -140, -99.5};
    assert_int_equal(stats_outliers(below, 6, 0.02, far), 1);
    assert_true(far[4]);
}

static void test_equal_samples_show_what_differs(void **state)
{
    (void)state;
    const double samples[] = {7, 7, 7, 7, 7.1, 8};
    bool far[6];
    assert_int_equal(stats_outliers(samples, 6, 0.02, far), 1);
    assert_true(far[5]); /* and 7.1 is within two hundredths */
    assert_int_equal(stats_outliers(samples, 6, 0, far), 2);
    assert_int_equal(stats_outliers(samples, 6, 0.5, far), 0);
}

static void test_few_have_no_majority(void **state)
{
    (void)state;
    const double samples[] = {1, 1, 100};
    bool far[3];
    assert_int_equal(stats_outliers(samples, 3, 0.02, far), 0);
    assert_int_equal(stats_outliers(samples, 0, 0.02, far), 0);
}

/* Noise below the floor is never flagged; a sample that is far beyond the noise always is, wherever it is. */
static void test_noise(void **state)
{
    (void)state;
    struct random random = random_start(1, "outliers");
    for (int round = 0; round < 2000; round++) {
        double samples[40];
        bool far[40];
        size_t count = 4 + random_below(&random, 36);
        for (size_t i = 0; i < count; i++)
            samples[i] = 50 * (1 + 0.004 * fmax(-4, fmin(4, normal(&random))));
        assert_int_equal(stats_outliers(samples, count, 0.035, far), 0);
        size_t odd = random_below(&random, (uint32_t)count);
        samples[odd] *= random_below(&random, 2) == 0 ? 1.5 : 0.5;
        assert_true(stats_outliers(samples, count, 0.035, far) >= 1);
        assert_true(far[odd]);
    }
}

/* Of many samples of pure noise few are flagged, even without a floor. */
static void test_many_normal_samples(void **state)
{
    (void)state;
    struct random random = random_start(2, "outliers");
    double samples[1000];
    bool far[1000];
    size_t found = 0;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < 1000; i++)
            samples[i] = 10 + normal(&random);
        found += stats_outliers(samples, 1000, 0, far);
    }
    assert_in_range(found, 1, 40); /* 2 * (1 - Phi(3.5)) of 20,000 are 9 */
}

static void test_deviation(void **state)
{
    (void)state;
    const double samples[] = {1, 2, 3, 4, 100};
    assert_true(stats_deviation(samples, 5) == 1);
    assert_true(stats_deviation(samples, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_samples_are_found), cmocka_unit_test(test_equal_samples_show_what_differs),
        cmocka_unit_test(test_few_have_no_majority),  cmocka_unit_test(test_noise),
        cmocka_unit_test(test_many_normal_samples),   cmocka_unit_test(test_deviation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
