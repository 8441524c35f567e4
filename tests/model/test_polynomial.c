/* Least-squares polynomials: exact ones are recovered, impossible ones refused. */
#include "model/fitting/polynomial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { COUNT = 50 };

static void a_polynomial_is_found_again(void **state)
{
    (void)state;
    static const double spans[][2] = {{20, 1}, {1e9, 1e8}, {-3, 1e-3}};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        for (size_t degree = 0; degree <= POLYNOMIAL_MOST; degree++) {
            double x[COUNT], y[COUNT];
            for (size_t j = 0; j < COUNT; j++) {
                double t = (double)j / 10;
                x[j] = spans[i][0] + spans[i][1] * t;
                y[j] = degree == 0 ? 7 : 7 - 2 * t + (degree > 1) * t * t / 3 - (degree > 2) * t * t * t / 9;
            }
            struct polynomial fit;
            assert_true(polynomial_fit(x, y, COUNT, degree, &fit));
            for (size_t j = 0; j < COUNT; j++)
                assert_true(fabs(polynomial_at(&fit, x[j]) - y[j]) < 1e-6);
            assert_true(fit.r2 > 1 - 1e-9);
        }
}

/* By hand: through (0,0), (1,0), (2,3) the line is y = 1.5 x - 0.5, which explains 4.5 of a variance of 6. */
static void the_rest_is_told(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2}, y[] = {0, 0, 3};
    struct polynomial fit;
    assert_true(polynomial_fit(x, y, 3, 1, &fit));
    assert_true(fabs(polynomial_at(&fit, 0) + 0.5) < 1e-12);
    assert_true(fabs(polynomial_at(&fit, 2) - 2.5) < 1e-12);
    assert_true(fabs(fit.r2 - 0.75) < 1e-12);
}

static void too_little_is_refused(void **state)
{
    (void)state;
    const double x[] = {1, 1, 2, 2}, y[] = {1, 2, 3, NAN};
    struct polynomial fit;
    assert_false(polynomial_fit(x, y, 3, 2, &fit));
    assert_true(polynomial_fit(x, y, 3, 1, &fit));
    assert_false(polynomial_fit(x, y, 4, 1, &fit));
    assert_false(polynomial_fit(x, y, 0, 0, &fit));
    assert_false(polynomial_fit(x, y, 3, POLYNOMIAL_MOST + 1, &fit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_polynomial_is_found_again),
        cmocka_unit_test(the_rest_is_told),
        cmocka_unit_test(too_little_is_refused),
    };
    return cmocka_run_group_tests_name("model/polynomial", tests, NULL, NULL);
}
