/* Coefficients of a linear model without their uncertainty: plain, non-negative and robust least squares. */
#ifndef MODEL_SOLVE_H
#define MODEL_SOLVE_H

#include "model/linear.h"

#include <stdbool.h>

/* A problem whose rows are already scaled by the square root of their weight. */
struct solve_problem {
    size_t rows, columns;
    const double *x, *y;
};

/* Least-squares coefficients b[columns]. False when the columns are dependent. */
bool solve_plain(const struct solve_problem *problem, double *b);

/* The same with all b at least 0. */
bool solve_non_negative(const struct solve_problem *problem, double *b);

/* As the options specify: robust weights, if requested, are updated until the coefficients converge.
 * weights[rows], if not NULL, gets the final ones; 1 for a row that counts in full. */
bool solve(const struct solve_problem *problem, const struct linear_options *options, double *b,
           double *weights);

#endif
