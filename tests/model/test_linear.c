/* Linear models on data with known coefficients: they are found, lie in their intervals as often as stated,
 * and what the data cannot determine is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "model/fitting/linear.h"
#include "model/fitting/spread.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 200, COLUMNS = 3 };
static const char *const names[COLUMNS] = {"constant", "L2 accesses", "stalls"};
static const double truth[COLUMNS] = {3, 2e-9, 0.5};

struct made {
    double x[MOST_ROWS * COLUMNS];
    double y[MOST_ROWS];
    double variance[MOST_ROWS];
    size_t group[MOST_ROWS];
    struct linear_data data;
};

static double uniform(struct random *random)
{
    return (random_next(random) + 0.5) / 4294967296.0;
}

static double normal(struct random *random)
{
    return sqrt(-2 * log(uniform(random))) * cos(6.283185307179586 * uniform(random));
}

/* Rows of the truth with noise of that standard deviation, in four groups. */
static void make(struct made *made, size_t rows, double noise, uint64_t seed)
{
    struct random random = random_start(seed, "rows");
    for (size_t i = 0; i < rows; i++) {
        double *row = made->x + i * COLUMNS;
        row[0] = 1;
        row[1] = 1e9 * uniform(&random);
        row[2] = 5 * uniform(&random);
        made->group[i] = i % 4;
        made->y[i] = noise * normal(&random);
        for (size_t j = 0; j < COLUMNS; j++)
            made->y[i] += truth[j] * row[j];
    }
    made->data = (struct linear_data){rows, COLUMNS, made->x, made->y, NULL, names};
}

static void fit(const struct made *made, struct linear_options options, struct linear_fit *fitted)
{
    struct error error;
    if (linear_fit(&made->data, &options, fitted, &error) != STATUS_OK)
        fail_msg("%s", error.message);
}

static void coefficients_without_noise_are_the_truth(void **state)
{
    (void)state;
    struct made made;
    for (int kind = 0; kind < 2; kind++) {
        struct linear_fit fitted;
        make(&made, 12, 0, (uint64_t)kind);
        fit(&made, (struct linear_options){.non_negative = kind == 1}, &fitted);
        for (size_t j = 0; j < COLUMNS; j++) {
            assert_float_equal(fitted.value[j] / truth[j], 1, 1e-9);
        }
        assert_float_equal(fitted.r2, 1, 1e-9);
        assert_true(fitted.condition > 1 && fitted.condition < 100);
        assert_true(fitted.inflation[1] >= 1);
    }
}

/* Of 300 data sets the truth lies outside of 95 % intervals in some 15; 30 would be a rare accident. */
static void intervals_hold_the_truth_as_often_as_they_say(void **state)
{
    (void)state;
    static const size_t rows[] = {5, 8, 40};
    enum { SETS = 300 };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        int inside[COLUMNS] = {0};
        for (uint64_t seed = 0; seed < SETS; seed++) {
            struct made made;
            struct linear_fit fitted;
            struct spread spread;
            struct error error;
            make(&made, rows[k], 0.3, seed + 1000 * k);
            assert_int_equal(spread_fit(&made.data, NULL, NULL, &fitted, &spread, &error), STATUS_OK);
            for (size_t j = 0; j < COLUMNS; j++)
                inside[j] += fitted.interval[j].low <= truth[j] && truth[j] <= fitted.interval[j].high;
        }
        for (size_t j = 0; j < COLUMNS; j++)
            assert_true(inside[j] >= SETS - 30 && inside[j] < SETS);
    }
}

static double sum_of_squares(const struct linear_data *data, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < data->rows; i++) {
        double off = data->y[i];
        for (size_t j = 0; j < data->columns; j++)
            off -= data->x[i * data->columns + j] * b[j];
        sum += off * off;
    }
    return sum;
}

/* No step along a coefficient that keeps it at least 0 makes the fit better. */
static void non_negative_fits_are_the_best_of_their_kind(void **state)
{
    (void)state;
    size_t held = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct made made;
        struct linear_fit fitted;
        make(&made, 12, 4, seed);
        fit(&made, (struct linear_options){.non_negative = true}, &fitted);
        double best = sum_of_squares(&made.data, fitted.value);
        for (size_t j = 0; j < COLUMNS; j++) {
            double b[COLUMNS];
            assert_true(fitted.value[j] >= 0);
            held += fitted.value[j] == 0;
            memcpy(b, fitted.value, sizeof b);
            b[j] += 1e-4 * truth[j];
            assert_true(sum_of_squares(&made.data, b) >= best * (1 - 1e-12));
            b[j] = fmax(0, fitted.value[j] - 1e-4 * truth[j]);
            assert_true(sum_of_squares(&made.data, b) >= best * (1 - 1e-12));
        }
    }
    assert_true(held > 20);
}

static void rows_count_by_their_variance(void **state)
{
    (void)state;
    struct made made;
    struct linear_fit fitted;
    make(&made, 20, 0, 6);
    for (size_t i = 0; i < 20; i++) {
        made.variance[i] = i % 2 == 0 ? 1e-6 : 1e6;
        made.y[i] += i % 2 == 0 ? 0 : 10;
    }
    made.data.variance = made.variance;
    fit(&made, (struct linear_options){0}, &fitted);
    for (size_t j = 0; j < COLUMNS; j++)
        assert_float_equal(fitted.value[j] / truth[j], 1, 1e-6);
}

static void a_derived_number_has_an_interval_too(void **state)
{
    (void)state;
    int inside = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct made made;
        struct linear_fit fitted;
        struct spread spread;
        struct error error;
        const double difference[LINEAR_COLUMNS] = {1, 0, -1};
        make(&made, 10, 0.3, seed);
        assert_int_equal(spread_fit(&made.data, NULL, NULL, &fitted, &spread, &error), STATUS_OK);
        struct interval told = spread_sum(&spread, difference);
        inside += told.low <= 2.5 && 2.5 <= told.high;
    }
    assert_true(inside >= 178 && inside < 200);
}

static void expect_refusal(const struct made *made, const char *words[2])
{
    struct linear_fit fitted;
    struct error error;
    assert_int_equal(linear_fit(&made->data, &(struct linear_options){0}, &fitted, &error), STATUS_USAGE);
    for (int i = 0; i < 2; i++)
        if (strstr(error.message, words[i]) == NULL)
            fail_msg("'%s' says nothing of '%s'", error.message, words[i]);
}

static void what_cannot_be_told_is_refused_by_name(void **state)
{
    (void)state;
    struct made made;
    make(&made, 20, 0.1, 7);
    for (size_t i = 0; i < 20; i++)
        made.x[i * COLUMNS + 2] = 3e-9 * made.x[i * COLUMNS + 1];
    expect_refusal(&made, (const char *[]){"L2 accesses and stalls", "cannot be separated"});
    make(&made, 20, 0.1, 7);
    for (size_t i = 0; i < 20; i++)
        made.x[i * COLUMNS + 2] = 0;
    expect_refusal(&made, (const char *[]){"stalls", "0 in every row"});
    make(&made, 20, 0.1, 7);
    made.y[3] = NAN;
    expect_refusal(&made, (const char *[]){"not finite", ""});
    make(&made, 3, 0.1, 7);
    expect_refusal(&made, (const char *[]){"3 rows", "3 coefficients"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coefficients_without_noise_are_the_truth),
        cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(non_negative_fits_are_the_best_of_their_kind),
        cmocka_unit_test(rows_count_by_their_variance),
        cmocka_unit_test(a_derived_number_has_an_interval_too),
        cmocka_unit_test(what_cannot_be_told_is_refused_by_name),
    };
    return cmocka_run_group_tests_name("model/linear", tests, NULL, NULL);
}
