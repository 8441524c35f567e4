#include "model/solve.h"

#include "model/algebra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROBUST_ROUNDS = 50 };

/* Huber's constant: 95 % as good as least squares where the noise is normal. */
static const double HUBER = 1.345;

/* From the median of absolute deviations to a standard deviation, of normal noise. */
static const double MAD_TO_SD = 1.4826;

static const double SETTLED = 1e-9;

bool solve_plain(const struct solve_problem *problem, double *b)
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

/* How much the sum of squares falls with each coefficient. */
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

/* Goes from b towards the wished solution until the first coefficient would fall below 0, which is held
 * there. */
static bool step_back(size_t columns, const double *wished, bool *free_columns, double *b)
{
    double step = 1;
    bool inside = true;
    for (size_t j = 0; j < columns; j++)
        if (free_columns[j] && wished[j] <= 0) {
            inside = false;
            step = fmin(step, b[j] / (b[j] - wished[j]));
        }
    for (size_t j = 0; j < columns; j++) {
        b[j] += step * (wished[j] - b[j]);
        if (!inside && free_columns[j] && wished[j] <= 0 && b[j] <= 1e-15) {
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

bool solve_non_negative(const struct solve_problem *problem, double *b)
{
    bool free_columns[LINEAR_COLUMNS] = {false};
    bool tried[LINEAR_COLUMNS] = {false}; /* came in and went out at once */
    double wished[LINEAR_COLUMNS];
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
            if (!solve_free(problem, free_columns, wished))
                return false;
        } while (!step_back(problem->columns, wished, free_columns, b));
        tried[column] = !free_columns[column];
        if (free_columns[column])
            memset(tried, 0, sizeof tried);
    }
    return true;
}

static bool solve_once(const struct solve_problem *problem, bool non_negative, double *b)
{
    return non_negative ? solve_non_negative(problem, b) : solve_plain(problem, b);
}

/* Sets each row's weight by how far off it is; false when the scale is 0: all lie on the fit. */
static bool weigh(const struct solve_problem *problem, const double *b, double *weights)
{
    double *off = algebra_numbers(problem->rows);
    algebra_multiply(problem->x, problem->rows, problem->columns, b, off);
    for (size_t i = 0; i < problem->rows; i++)
        off[i] = fabs(problem->y[i] - off[i]);
    double scale = MAD_TO_SD * stats_median(off, problem->rows);
    for (size_t i = 0; scale > 0 && i < problem->rows; i++)
        weights[i] = off[i] <= HUBER * scale ? 1 : HUBER * scale / off[i];
    free(off);
    return scale > 0;
}

static void scale_rows(const struct solve_problem *problem, const double *weights, double *x, double *y)
{
    for (size_t i = 0; i < problem->rows; i++) {
        double root = sqrt(weights[i]);
        y[i] = root * problem->y[i];
        for (size_t j = 0; j < problem->columns; j++)
            x[i * problem->columns + j] = root * problem->x[i * problem->columns + j];
    }
}

static bool solve_robust(const struct solve_problem *problem, bool non_negative, double *b, double *weights)
{
    double before[LINEAR_COLUMNS];
    double *x = algebra_numbers(problem->rows * problem->columns);
    double *y = algebra_numbers(problem->rows);
    const struct solve_problem scaled = {problem->rows, problem->columns, x, y};
    bool good = solve_once(problem, non_negative, b);
    for (int round = 0; good && round < ROBUST_ROUNDS && weigh(problem, b, weights); round++) {
        double change = 0;
        double size = 0;
        memcpy(before, b, problem->columns * sizeof *b);
        scale_rows(problem, weights, x, y);
        good = solve_once(&scaled, non_negative, b);
        for (size_t j = 0; j < problem->columns; j++) {
            change += fabs(b[j] - before[j]);
            size += fabs(b[j]);
        }
        if (change <= SETTLED * size)
            break;
    }
    free(x);
    free(y);
    return good;
}

bool solve(const struct solve_problem *problem, const struct linear_options *options, double *b,
           double *weights)
{
    double *own = algebra_numbers(problem->rows);
    for (size_t i = 0; i < problem->rows; i++)
        own[i] = 1;
    bool good = options->robust ? solve_robust(problem, options->non_negative, b, own)
                                : solve_once(problem, options->non_negative, b);
    if (weights != NULL)
        memcpy(weights, own, problem->rows * sizeof *own);
    free(own);
    return good;
}
