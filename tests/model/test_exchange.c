/* The allocation of time is D-optimal: by the equivalence theorem (Kiefer and Wolfowitz 1960), for designs
 * that are known in closed form, and against every small move. */
#include "model/design/exchange.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 200, COLUMNS = 6 };

/* Candidates of one row each. */
static struct exchange exchange_of(const double *rows, size_t columns, size_t count, size_t *first)
{
    for (size_t i = 0; i <= count; i++)
        first[i] = i;
    return (struct exchange){columns, count, rows, first, NULL, NULL};
}

/* The variance of the prediction at a candidate, in the units in which the theorem bounds it: by 1. */
static double variance_at(const struct exchange *exchange, const double *covariance, size_t candidate,
                          double total)
{
    size_t n = exchange->columns;
    double sum = 0;
    for (size_t r = exchange->first[candidate]; r < exchange->first[candidate + 1]; r++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                sum += exchange->rows[r * n + i] * covariance[i * n + j] * exchange->rows[r * n + j];
    return sum * total / (double)n;
}

/* A quadratic on [-1, 1]: a third of the time at each end and in the middle. */
static void test_quadratic(void **state)
{
    double rows[3 * MOST], seconds[MOST];
    size_t first[MOST + 1];
    (void)state;
    for (size_t i = 0; i <= 100; i++) {
        double x = ((double)i - 50) / 50;
        rows[3 * i] = 1;
        rows[3 * i + 1] = x;
        rows[3 * i + 2] = x * x;
    }
    struct exchange exchange = exchange_of(rows, 3, 101, first);
    double gap = exchange_choose(&exchange, 30, seconds);
    assert_true(gap >= -1e-9 && gap <= 2e-3);
    double ends = seconds[0] + seconds[1] + seconds[99] + seconds[100];
    double middle = seconds[48] + seconds[49] + seconds[50] + seconds[51] + seconds[52];
    assert_true(fabs(ends - 20) < 0.5);
    assert_true(fabs(middle - 10) < 0.5);
}

/* Random candidates, whose columns differ in size by orders of magnitude as those of models do. */
static void test_equivalence(void **state)
{
    struct random random = random_start(7, "exchange");
    (void)state;
    for (int round = 0; round < 20; round++) {
        double rows[COLUMNS * MOST], seconds[MOST], covariance[COLUMNS * COLUMNS];
        size_t first[MOST + 1];
        double total = 1000, sum = 0;
        for (size_t i = 0; i < (size_t)COLUMNS * MOST; i++)
            rows[i] = pow(10, 3 * (double)(i % COLUMNS)) * (random_below(&random, 1000) / 1000.0 - 0.3);
        struct exchange exchange = exchange_of(rows, COLUMNS, MOST, first);
        double gap = exchange_choose(&exchange, total, seconds);
        assert_true(gap <= 1e-3);
        assert_true(exchange_covariance(&exchange, seconds, covariance));
        for (size_t i = 0; i < MOST; i++) {
            double variance = variance_at(&exchange, covariance, i, total);
            sum += seconds[i];
            assert_true(seconds[i] >= 0);
            assert_true(variance <= 1.002);
            if (seconds[i] > 0.05 * total)
                assert_true(variance > 0.98);
        }
        assert_true(fabs(sum - total) < 1e-6 * total);
    }
}

/* The error of whole points spreads the time over more of them. */
static void test_whole_points(void **state)
{
    static const double rows[] = {1, 1, 0.99, 0.98, 0.97};
    double error[] = {1, 1, 1, 1, 1}, seconds[5];
    size_t first[6];
    (void)state;
    struct exchange exchange = exchange_of(rows, 1, 5, first);
    exchange_choose(&exchange, 100, seconds);
    assert_true(seconds[2] + seconds[3] + seconds[4] < 5);
    exchange.error = error;
    exchange_choose(&exchange, 100, seconds);
    for (size_t i = 0; i < 5; i++)
        assert_true(seconds[i] > 15 && seconds[i] < 25);
}

/* What no candidate tells apart is named; what is left out gets no time. */
static void test_unknown(void **state)
{
    static const double rows[] = {1, 2, 0.5, 2, 4, 0.1, 3, 6, 0.9, 4, 8, 0.2};
    static const double apart[] = {1, 2, 0.5, 2, 4.5, 0.1, 3, 6, 0.9, 4, 8, 0.2};
    static const bool out[] = {false, true, false, false};
    double weights[3], seconds[4], covariance[9], inflation[3];
    size_t first[5];
    (void)state;
    struct exchange exchange = exchange_of(rows, 3, 4, first);
    assert_true(exchange_unknown(&exchange, weights));
    assert_true(fabs(fabs(weights[0]) - 1) < 1e-3 && fabs(fabs(weights[1]) - 1) < 1e-3 && weights[2] == 0);
    assert_true(isnan(exchange_choose(&exchange, 1, seconds)));
    exchange = exchange_of(apart, 3, 4, first);
    assert_false(exchange_unknown(&exchange, weights));
    assert_true(exchange_choose(&exchange, 1, seconds) <= 1e-3);
    assert_true(exchange_covariance(&exchange, seconds, covariance));
    exchange_inflation(&exchange, seconds, covariance, inflation);
    assert_true(inflation[0] > 10 && inflation[1] > 10 && inflation[2] < 10);
    exchange.out = out;
    assert_true(isnan(exchange_choose(&exchange, 1, seconds)));
    assert_true(seconds[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quadratic), cmocka_unit_test(test_equivalence),
                                       cmocka_unit_test(test_whole_points), cmocka_unit_test(test_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
