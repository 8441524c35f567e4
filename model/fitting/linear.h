/* Linear models: coefficients of named columns with intervals, and how well the data separates the columns
 * (DESIGN.md section 10). LAPACK does the algebra. */
#ifndef MODEL_FITTING_LINEAR_H
#define MODEL_FITTING_LINEAR_H

#include "base/error.h"
#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>

enum { LINEAR_COLUMNS = 32, LINEAR_NAME_BYTES = 64 };

/* y = x b + noise. */
struct linear_data {
    size_t rows, columns;
    const double *x;          /* rows * columns, row-major */
    const double *y;          /* rows */
    const double *variance;   /* of each measured y, all above 0; NULL: all equal */
    const char *const *names; /* of the columns */
};

struct linear_options {
    bool non_negative; /* no coefficient below 0 (Lawson and Hanson 1974, chapter 23) */
};

struct linear_fit {
    size_t rows, columns;
    double value[LINEAR_COLUMNS];
    struct interval interval[LINEAR_COLUMNS]; /* without width: spread.h sets it */
    double inflation[LINEAR_COLUMNS]; /* variance inflation: 1 when a column is independent of the others */
    double condition;                 /* of the columns, each scaled to length 1 */
    double r2;                        /* about the mean; about 0 when no column is constant */
    double residual;                  /* standard deviation of y about the fit */
};

/* STATUS_USAGE, with the reason and the columns by name, when there are too few rows for the columns (as
 * many are enough if their variance is known), a number that is not finite, a column of zeros, or collinear
 * columns (condition above 1000: Belsley, Kuh and Welsch 1980 call 30 to 100 moderate to strong). */
enum status linear_fit(const struct linear_data *data, const struct linear_options *options,
                       struct linear_fit *fit, struct error *error);

/* The fit's prediction for a row of columns. */
double linear_predict(const struct linear_fit *fit, const double *row);

#endif
