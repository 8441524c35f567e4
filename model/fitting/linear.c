#include "model/fitting/linear.h"

#include "model/fitting/algebra.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- plain and non-negative least squares ---- */

/* A problem whose rows are already scaled by the square root of their weight. */
struct solve_problem {
    size_t rows, columns;
    const double *x, *y;
};

/* Least-squares coefficients b[columns]. False when the columns are dependent. */
static bool solve_plain(const struct solve_problem *problem, double *b)
{
    size_t n = problem->columns;
    double singular[LINEAR_COLUMNS];
    double *inverse = algebra_numbers(n * problem->rows);
    double *right = algebra_numbers(n * n);
    bool good = algebra_pseudo_inverse(problem->x, problem->rows, n, inverse, singular, right);
    if (good)
        algebra_multiply(inverse, n, problem->rows, problem->y, b);
    free(inverse);
    free(right);
    return good;
}

/* Solves for the columns that are free; the others are 0. */
static bool solve_free(const struct solve_problem *problem, const bool *free_columns, double *b)
{
    size_t map[LINEAR_COLUMNS];
    double part[LINEAR_COLUMNS];
    size_t count = 0;
    for (size_t j = 0; j < problem->columns; j++)
        if (free_columns[j])
            map[count++] = j;
    double *x = algebra_numbers(problem->rows * count);
    for (size_t i = 0; i < problem->rows; i++)
        for (size_t j = 0; j < count; j++)
            x[i * count + j] = problem->x[i * problem->columns + map[j]];
    const struct solve_problem reduced = {problem->rows, count, x, problem->y};
    memset(b, 0, problem->columns * sizeof *b);
    bool good = count == 0 || solve_plain(&reduced, part);
    for (size_t j = 0; good && j < count; j++)
        b[map[j]] = part[j];
    free(x);
    return good;
}

/* The decrease of the sum of squares per unit of each coefficient, w[columns]. */
static void gradient(const struct solve_problem *problem, const double *b, double *w)
{
    double *fitted = algebra_numbers(problem->rows);
    algebra_multiply(problem->x, problem->rows, problem->columns, b, fitted);
    memset(w, 0, problem->columns * sizeof *w);
    for (size_t i = 0; i < problem->rows; i++)
        for (size_t j = 0; j < problem->columns; j++)
            w[j] += problem->x[i * problem->columns + j] * (problem->y[i] - fitted[i]);
    free(fitted);
}

/* Moves b towards the target solution until a coefficient would fall below 0, which is then held at 0. True
 * if b reached the target. */
static bool step_back(size_t columns, const double *target, bool *free_columns, double *b)
{
    double step = 1;
    bool inside = true;
    for (size_t j = 0; j < columns; j++)
        if (free_columns[j] && target[j] <= 0) {
            inside = false;
            step = fmin(step, b[j] / (b[j] - target[j]));
        }
    for (size_t j = 0; j < columns; j++) {
        b[j] += step * (target[j] - b[j]);
        if (!inside && free_columns[j] && target[j] <= 0 && b[j] <= 1e-15) {
            free_columns[j] = false;
            b[j] = 0;
        }
    }
    return inside;
}

/* The column that would lower the sum of squares most; false when none does by more than rounding. */
static bool choose_column(const struct solve_problem *problem, const double *b, const bool *free_columns,
                          const bool *tried, double least, size_t *chosen)
{
    double w[LINEAR_COLUMNS];
    double most = least;
    bool any = false;
    gradient(problem, b, w);
    for (size_t j = 0; j < problem->columns; j++)
        if (!free_columns[j] && !tried[j] && w[j] > most) {
            most = w[j];
            *chosen = j;
            any = true;
        }
    return any;
}

/* Least-squares coefficients b[columns], all at least 0. False when the columns are dependent. */
static bool solve_non_negative(const struct solve_problem *problem, double *b)
{
    bool free_columns[LINEAR_COLUMNS] = {false};
    bool tried[LINEAR_COLUMNS] = {false}; /* freed and immediately held at 0 again */
    double target[LINEAR_COLUMNS];
    double zero[LINEAR_COLUMNS] = {0};
    double scale[LINEAR_COLUMNS];
    size_t column = 0;
    double least = 0;
    memset(b, 0, problem->columns * sizeof *b);
    gradient(problem, zero, scale);
    for (size_t j = 0; j < problem->columns; j++)
        least = fmax(least, fabs(scale[j]) * 1e-12);
    for (size_t round = 0; round < 10 * problem->columns; round++) {
        if (!choose_column(problem, b, free_columns, tried, least, &column))
            return true;
        free_columns[column] = true;
        do {
            if (!solve_free(problem, free_columns, target))
                return false;
        } while (!step_back(problem->columns, target, free_columns, b));
        tried[column] = !free_columns[column];
        if (free_columns[column])
            memset(tried, 0, sizeof tried);
    }
    return true;
}

/* ---- checked and scaled data ---- */

static const double WORST_CONDITION = 1000;

/* A column is named as part of a weakly determined direction if its share of that direction is above this. */
static const double TAKES_PART = 0.3;

static bool all_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static enum status check_shape(const struct linear_data *data, struct error *error)
{
    if (data->columns == 0 || data->columns > LINEAR_COLUMNS)
        return error_set(error, STATUS_USAGE, "the fit has %zu columns: expected 1 to %d", data->columns,
                         LINEAR_COLUMNS);
    if (data->rows < data->columns + (data->variance == NULL)) {
        error_set(error, STATUS_USAGE, "%zu rows cannot determine %zu coefficients and their noise",
                  data->rows, data->columns);
        error_hint(error, "measure more points: at least %zu", data->columns + (data->variance == NULL));
        return STATUS_USAGE;
    }
    bool good = all_finite(data->x, data->rows * data->columns) && all_finite(data->y, data->rows);
    for (size_t i = 0; good && data->variance != NULL && i < data->rows; i++)
        good = isfinite(data->variance[i]) && data->variance[i] > 0;
    if (!good)
        return error_set(error, STATUS_USAGE,
                         "the data contains a number that is not finite, or a variance that is not above 0");
    return STATUS_OK;
}

/* Scales rows by the root of their weight, then columns to length 1. Refuses a column of zeros. */
static enum status scale_data(const struct linear_data *data, double *x, double *y, double *length,
                              struct error *error)
{
    memset(length, 0, LINEAR_COLUMNS * sizeof *length);
    for (size_t i = 0; i < data->rows; i++) {
        double root = data->variance == NULL ? 1 : 1 / sqrt(data->variance[i]);
        y[i] = root * data->y[i];
        for (size_t j = 0; j < data->columns; j++) {
            x[i * data->columns + j] = root * data->x[i * data->columns + j];
            length[j] = hypot(length[j], x[i * data->columns + j]);
        }
    }
    for (size_t j = 0; j < data->columns; j++)
        if (!(length[j] > 0) || !isfinite(length[j]))
            return error_set(error, STATUS_USAGE,
                             "the column %.60s is 0 in every row: nothing determines its coefficient",
                             data->names[j]);
    for (size_t i = 0; i < data->rows; i++)
        for (size_t j = 0; j < data->columns; j++)
            x[i * data->columns + j] /= length[j];
    return STATUS_OK;
}

/* Names the columns of the least determined direction. */
static enum status refuse_collinear(const struct linear_data *data, const double *weakest, double condition,
                                    struct error *error)
{
    char names[512] = "";
    for (size_t j = 0; j < data->columns; j++)
        if (fabs(weakest[j]) > TAKES_PART && strlen(names) + LINEAR_NAME_BYTES + 8 < sizeof names)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.60s",
                     names[0] == '\0' ? "" : " and ", data->names[j]);
    error_set(
        error, STATUS_USAGE,
        "%s move together in all rows (condition %.3g, at most %g): their coefficients cannot be separated",
        names, condition, WORST_CONDITION);
    error_hint(error, "add points in which one changes without the other, or omit one");
    return STATUS_USAGE;
}

/* The pseudo-inverse of the scaled columns, or the refusal. */
static enum status invert(const struct linear_data *data, const double *x, double *inverse,
                          struct linear_fit *fit, struct error *error)
{
    double singular[LINEAR_COLUMNS];
    size_t n = data->columns;
    double *right = algebra_numbers(n * n);
    bool good = algebra_pseudo_inverse(x, data->rows, n, inverse, singular, right);
    fit->condition = good ? singular[0] / singular[n - 1] : INFINITY;
    enum status status = STATUS_OK;
    if (!(fit->condition <= WORST_CONDITION))
        status = refuse_collinear(data, right + (n - 1) * n, fit->condition, error);
    free(right);
    return status;
}

/* The diagonal of the inverse of x'x, of columns of length 1, is the uncentred variance inflation. */
static void set_inflation(const double *inverse, size_t rows, struct linear_fit *fit)
{
    for (size_t j = 0; j < fit->columns; j++) {
        fit->inflation[j] = 0;
        for (size_t i = 0; i < rows; i++)
            fit->inflation[j] += inverse[j * rows + i] * inverse[j * rows + i];
    }
}

static bool is_constant(const struct linear_data *data, size_t column)
{
    for (size_t i = 1; i < data->rows; i++)
        if (data->x[i * data->columns + column] != data->x[column])
            return false;
    return true;
}

static void set_quality(const struct linear_data *data, struct linear_fit *fit)
{
    double mean = 0;
    double squares = 0;
    double total = 0;
    bool constant = false;
    for (size_t j = 0; j < data->columns; j++)
        constant = constant || is_constant(data, j);
    for (size_t i = 0; constant && i < data->rows; i++)
        mean += data->y[i] / (double)data->rows;
    for (size_t i = 0; i < data->rows; i++) {
        double off = data->y[i] - linear_predict(fit, data->x + i * data->columns);
        squares += off * off;
        total += (data->y[i] - mean) * (data->y[i] - mean);
    }
    fit->residual = data->rows > data->columns ? sqrt(squares / (double)(data->rows - data->columns)) : 0;
    fit->r2 = total > 0 ? 1 - squares / total : 1;
}

enum status linear_fit(const struct linear_data *data, const struct linear_options *options,
                       struct linear_fit *fit, struct error *error)
{
    double length[LINEAR_COLUMNS];
    *fit = (struct linear_fit){.rows = data->rows, .columns = data->columns};
    enum status status = check_shape(data, error);
    if (status != STATUS_OK)
        return status;
    double *x = algebra_numbers(data->rows * data->columns);
    double *y = algebra_numbers(data->rows);
    double *inverse = algebra_numbers(data->rows * data->columns);
    const struct solve_problem problem = {data->rows, data->columns, x, y};
    status = scale_data(data, x, y, length, error);
    if (status == STATUS_OK)
        status = invert(data, x, inverse, fit, error);
    bool (*solve)(const struct solve_problem *, double *) =
        options->non_negative ? solve_non_negative : solve_plain;
    if (status == STATUS_OK && !solve(&problem, fit->value))
        status = error_set(error, STATUS_FAILED, "the least-squares fit did not converge");
    for (size_t j = 0; j < data->columns; j++)
        fit->value[j] /= length[j];
    if (status == STATUS_OK) {
        set_inflation(inverse, data->rows, fit);
        set_quality(data, fit);
        for (size_t j = 0; j < data->columns; j++)
            fit->interval[j] = (struct interval){fit->value[j], fit->value[j], fit->value[j], data->rows};
    }
    free(x);
    free(y);
    free(inverse);
    return status;
}

double linear_predict(const struct linear_fit *fit, const double *row)
{
    double sum = 0;
    for (size_t j = 0; j < fit->columns; j++)
        sum += fit->value[j] * row[j];
    return sum;
}
