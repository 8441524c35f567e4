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

/* ---- intervals for a later measurement's value ---- */

typedef struct interval stats_summary(const double *samples, size_t count);

/* Repetitions of about 100 with 1 % of noise; others lengthen a share of them. */
static void draw(struct random *random, double disturbed, double *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        samples[i] = 100 + normal(random);
        if (uniform(random) < disturbed)
            samples[i] *= 1 + uniform(random);
    }
}

struct coverage {
    size_t held, none;
    double widths;
};

/* Whether the intervals hold the value of five quiet repetitions later. */
static struct coverage cover(stats_summary *summary, size_t count, double disturbed, size_t trials)
{
    struct random random = random_start(count, "coverage");
    struct coverage coverage = {0};
    for (size_t i = 0; i < trials; i++) {
        double samples[40], later[5];
        draw(&random, disturbed, samples, count);
        draw(&random, 0, later, 5);
        const struct interval interval = summary(samples, count);
        double value = summary(later, 5).value;
        coverage.none += isnan(interval.low);
        coverage.held += value >= interval.low && value <= interval.high;
        coverage.widths += isnan(interval.low) ? 0 : interval.high - interval.low;
    }
    return coverage;
}

static void test_intervals_hold_what_another_run_finds(void **state)
{
    (void)state;
    enum { TRIALS = 2000 };
    static stats_summary *const summaries[] = {stats_fastest, stats_agreeing, stats_repeated};
    static const size_t counts[] = {3, 4, 5, 9, 17, 33};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 6; j++) {
            const struct coverage quiet = cover(summaries[i], counts[j], 0, TRIALS);
            const struct coverage busy = cover(summaries[i], counts[j], 0.15, TRIALS);
            size_t given = TRIALS - quiet.none, given_busy = TRIALS - busy.none;
            assert_true(quiet.held >= 0.9 * (double)given);
            assert_true(given > TRIALS / 2 && quiet.widths / (double)given < 12);
            assert_true(summaries[i] == stats_repeated || busy.held >= 0.9 * (double)given_busy);
        }
}

static void test_one_or_none_has_no_interval(void **state)
{
    (void)state;
    const double one[] = {7}, apart[] = {100, 150, 190};
    assert_true(isnan(stats_fastest(one, 1).low) && stats_fastest(one, 1).value == 7);
    assert_true(isnan(stats_repeated(one, 1).high) && stats_repeated(one, 1).n == 1);
    assert_true(isnan(stats_fastest(NULL, 0).low) && stats_fastest(NULL, 0).n == 0);
    assert_true(isnan(stats_fastest(apart, 3).low) && stats_fastest(apart, 3).value == 125);
}

/* Disturbances lengthen a time; of a ratio to another time they may go either way. */
static void test_the_low_side_and_the_agreeing_half(void **state)
{
    (void)state;
    const double times[] = {12, 10.01, 18, 10, 11, 10.02, 31};
    const double ratios[] = {0.250, 0.329, 0.2502, 0.21, 0.2501};
    assert_true(stats_fastest(times, 7).value > 10 && stats_fastest(times, 7).value < 10.03);
    assert_float_equal(stats_agreeing(ratios, 5).value, 0.2501, 1e-12);
    const double equal[] = {5, 5, 5};
    assert_float_equal(stats_fastest(equal, 3).low, 5 - 0.0125, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_samples_are_found),
        cmocka_unit_test(test_equal_samples_show_what_differs),
        cmocka_unit_test(test_few_have_no_majority),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_many_normal_samples),
        cmocka_unit_test(test_deviation),
        cmocka_unit_test(test_intervals_hold_what_another_run_finds),
        cmocka_unit_test(test_one_or_none_has_no_interval),
        cmocka_unit_test(test_the_low_side_and_the_agreeing_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
