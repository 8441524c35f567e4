#include "model/fitting/polynomial.h"

#include <math.h>

enum { SIZE = POLYNOMIAL_MOST + 1 };

static size_t count_different(const double *x, size_t count, size_t enough)
{
    double seen[SIZE];
    size_t different = 0;
    for (size_t i = 0; i < count && different < enough; i++) {
        size_t j = 0;
        while (j < different && seen[j] != x[i])
            j++;
        if (j == different)
            seen[different++] = x[i];
    }
    return different;
}

static bool all_finite(const double *x, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return false;
    return true;
}

/* Gaussian elimination with partial pivoting; the last column of rows is the right side. */
static bool solve(double rows[SIZE][SIZE + 1], size_t size, double *solution)
{
    for (size_t i = 0; i < size; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < size; j++)
            if (fabs(rows[j][i]) > fabs(rows[best][i]))
                best = j;
        if (fabs(rows[best][i]) < 1e-12)
            return false;
        for (size_t k = 0; k <= size; k++) {
            double kept = rows[i][k];
            rows[i][k] = rows[best][k];
            rows[best][k] = kept;
        }
        for (size_t j = i + 1; j < size; j++) {
            double times = rows[j][i] / rows[i][i];
            for (size_t k = i; k <= size; k++)
                rows[j][k] -= times * rows[i][k];
        }
    }
    for (size_t i = size; i-- > 0;) {
        solution[i] = rows[i][size];
        for (size_t k = i + 1; k < size; k++)
            solution[i] -= rows[i][k] * solution[k];
        solution[i] /= rows[i][i];
    }
    return true;
}

static void scale_of(const double *x, size_t count, struct polynomial *fit)
{
    double low = x[0], high = x[0];
    for (size_t i = 1; i < count; i++) {
        low = fmin(low, x[i]);
        high = fmax(high, x[i]);
    }
    fit->center = low + (high - low) / 2;
    fit->scale = high > low ? (high - low) / 2 : 1;
}

static double explained(const struct polynomial *fit, const double *x, const double *y, size_t count)
{
    double mean = 0, all = 0, left = 0;
    for (size_t i = 0; i < count; i++)
        mean += y[i] / (double)count;
    for (size_t i = 0; i < count; i++) {
        all += (y[i] - mean) * (y[i] - mean);
        left += pow(y[i] - polynomial_at(fit, x[i]), 2);
    }
    return all > 1e-24 * mean * mean ? 1 - left / all : 1; /* less is rounding */
}

bool polynomial_fit(const double *x, const double *y, size_t count, size_t degree, struct polynomial *fit)
{
    double rows[SIZE][SIZE + 1] = {{0}};
    *fit = (struct polynomial){.degree = degree};
    if (degree > POLYNOMIAL_MOST || !all_finite(x, y, count) ||
        count_different(x, count, degree + 1) < degree + 1)
        return false;
    scale_of(x, count, fit);
    for (size_t i = 0; i < count; i++) {
        double powers[2 * SIZE] = {1};
        for (size_t k = 1; k <= 2 * degree; k++)
            powers[k] = powers[k - 1] * (x[i] - fit->center) / fit->scale;
        for (size_t j = 0; j <= degree; j++) {
            for (size_t k = 0; k <= degree; k++)
                rows[j][k] += powers[j + k] / (double)count;
            rows[j][degree + 1] += powers[j] * y[i] / (double)count;
        }
    }
    if (!solve(rows, degree + 1, fit->coefficients))
        return false;
    fit->r2 = explained(fit, x, y, count);
    return true;
}

double polynomial_at(const struct polynomial *fit, double x)
{
    double scaled = (x - fit->center) / fit->scale;
    double value = 0;
    for (size_t i = fit->degree + 1; i-- > 0;)
        value = value * scaled + fit->coefficients[i];
    return value;
}
