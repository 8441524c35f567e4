/* The test of a model's form: right forms pass, wrong ones are named, and the widened intervals hold the
 * truth. */
#include "model/fitting/form.h"
#include "model/model.h"
#include "tests/model/synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// clang-format off
#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <string.h>

enum { POINTS = 24, COLUMNS = 3, REPS = 4, MACHINES = 300 };

static const double truth[COLUMNS] = {4, 2, 1};

/* What a machine does besides the sum of its regressors. */
struct chip {
    const char *name, *suspect; /* that the first line names; NULL: none */
    double constant, square, product, drift, heat, gain_heat;
    double shift;      /* of whole points, as a share */
    bool unlike_noise; /* noise grows with the power */
    int points;
};

static double extra_of(const struct chip *machine, const double *x, double order, double celsius)
{
    double sum = truth[0] * x[0] + truth[1] * x[1] + truth[2] * x[2];
    return machine->constant + machine->square * x[0] * x[0] + machine->product * x[0] * x[1] +
           machine->drift * order + machine->heat * celsius + machine->gain_heat * celsius * sum;
}

static void measure(const struct chip *machine, uint64_t seed, struct fitted *fitted)
{
    struct random random = random_start(seed, "form");
    fitted_begin(fitted, "power", "W", NULL);
    for (int i = 0; i < machine->points; i++) {
        struct fitted_row *row = fitted_add(fitted);
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++) {
            row->x[j] = 5 * synthetic_uniform(&random);
            sum += truth[j] * row->x[j];
        }
        row->celsius = 50 + 10 * synthetic_uniform(&random);
        row->ghz = 2;
        row->order = i;
        double noise = machine->unlike_noise ? 0.01 * sum : 0.1;
        double reps[REPS], mean = 0, squares = 0;
        double whole = (20 + sum) * machine->shift * synthetic_normal(&random);
        for (int k = 0; k < REPS; k++) {
            reps[k] = sum + extra_of(machine, row->x, (double)i / machine->points, (row->celsius - 55) / 10) +
                      whole + noise * synthetic_normal(&random);
            mean += reps[k] / REPS;
        }
        for (int k = 0; k < REPS; k++)
            squares += pow(reps[k] - mean, 2);
        row->measured = mean;
        row->whole = 20 + sum;
        row->own = squares / (REPS - 1) / REPS; /* its variance, for now */
        row->freedom = (double)machine->points * (REPS - 1);
    }
    double pooled = 0;
    for (int i = 0; i < machine->points; i++)
        pooled += fitted->rows[i].own / machine->points;
    for (int i = 0; i < machine->points; i++)
        fitted->rows[i].own = machine->unlike_noise ? sqrt(fitted->rows[i].own) : sqrt(pooled);
}

static void fit(struct fitted *fitted)
{
    double *x = calloc(fitted->count, COLUMNS * sizeof *x);
    double *y = calloc(fitted->count, sizeof *y);
    static const char *const names[] = {"a", "b", "c"};
    struct linear_fit line;
    struct error error;
    for (size_t i = 0; i < fitted->count; i++) {
        memcpy(x + i * COLUMNS, fitted->rows[i].x, COLUMNS * sizeof *x);
        y[i] = fitted->rows[i].measured;
    }
    const struct linear_data data = {fitted->count, COLUMNS, x, y, NULL, names};
    assert_int_equal(spread_fit(&data, NULL, NULL, &line, &fitted->spread, &error), STATUS_OK);
    for (size_t i = 0; i < fitted->count; i++)
        fitted->rows[i].predicted = linear_predict(&line, fitted->rows[i].x);
    for (int j = 0; j < COLUMNS; j++)
        snprintf(fitted->names[j], LINEAR_NAME_BYTES, "%s", names[j]);
    free(x);
    free(y);
}

/* Machines that are disbelieved, and coefficients inside their interval where they are not. */
static void try_all(const struct chip *machine, size_t *disbelieved, size_t *named, size_t *outside)
{
    *disbelieved = *named = *outside = 0;
    for (uint64_t seed = 0; seed < MACHINES; seed++) {
        struct fitted fitted = {0};
        struct model_result result = {0};
        measure(machine, seed, &fitted);
        fit(&fitted);
        form_test(&fitted, &result);
        const char *first = result.disbelief.count == 0 ? NULL : result.disbelief.items[0];
        *disbelieved += first != NULL;
        *named += first != NULL && machine->suspect != NULL && strstr(first, machine->suspect) != NULL;
        for (size_t j = 0; j < COLUMNS; j++) {
            double one[LINEAR_COLUMNS] = {0};
            one[j] = 1;
            struct interval at = spread_sum(&fitted.spread, one);
            *outside += first == NULL && (truth[j] < at.low || truth[j] > at.high);
        }
        model_result_free(&result);
        fitted_free(&fitted);
    }
    printf("%-28s %2d points: disbelieved %zu of %d, named %zu, outside and believed %zu of %d\n",
           machine->name, machine->points, *disbelieved, MACHINES, *named, *outside, MACHINES * COLUMNS);
}

static void right_forms_are_believed(void **state)
{
    static const struct chip machines[] = {
        {.name = "noise of the meter", .points = POINTS},
        {.name = "few points", .points = 8},
        {.name = "hardly any points", .points = 6},
        {.name = "points shift by 0.5 %", .shift = 0.005, .points = POINTS},
        {.name = "few points shift by 0.5 %", .shift = 0.005, .points = 8},
        {.name = "noise grows with power", .unlike_noise = true, .points = POINTS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        size_t disbelieved, named, outside;
        try_all(&machines[i], &disbelieved, &named, &outside);
        assert_true(100 * disbelieved <= 3 * MACHINES);
        assert_true(10 * outside <= MACHINES * COLUMNS);
    }
}

static void wrong_forms_are_named(void **state)
{
    static const struct chip machines[] = {
        {.name = "a constant", .suspect = "a constant of", .constant = 3, .points = POINTS},
        {.name = "a small constant", .constant = 0.25, .points = POINTS},
        {.name = "a square", .suspect = "the square of the rate of a", .square = 0.4, .points = POINTS},
        {.name = "a product",
         .suspect = "the product of the rates of a and b",
         .product = 0.4,
         .points = POINTS},
        {.name = "a drift", .suspect = "the order in which", .drift = 3, .points = POINTS},
        {.name = "a little drift", .drift = 0.2, .points = POINTS},
        {.name = "leakage", .suspect = "the temperature", .heat = 3, .points = POINTS},
        {.name = "costs rise with temperature",
         .suspect = "the prediction times the temperature",
         .gain_heat = 0.1,
         .points = POINTS},
        {.name = "a constant, shifted points", .constant = 2, .shift = 0.005, .points = POINTS},
        {.name = "a constant, few points", .constant = 3, .points = 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        size_t disbelieved, named, outside;
        try_all(&machines[i], &disbelieved, &named, &outside);
        assert_true(10 * outside <= MACHINES * COLUMNS);
        if (machines[i].suspect != NULL)
            assert_true(10 * named >= 8 * MACHINES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_forms_are_believed),
        cmocka_unit_test(wrong_forms_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
