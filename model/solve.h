/* Coefficients of a linear model, without a word on what they are worth: plain, non-negative and robust least
 * squares. */
#ifndef MODEL_SOLVE_H
#define MODEL_SOLVE_H

#include "model/linear.h"

#include <stdbool.h>

/* A problem whose rows are scaled already: by the square root of their weight. */
struct solve_problem {
    size_t rows, columns;
    const double *x, *y;
};

/* b[columns] of the least squares. False when the columns are dependent. */
bool solve_plain(const struct solve_problem *problem, double *b);

/* The same with no b below 0. */
bool solve_non_negative(const struct solve_problem *problem, double *b);

/* As the options say: robust weights, where asked for, are set anew until the coefficients stay.
 * weights[rows], if not NULL, gets those that were last used, 1 for a row that counts in full. */
bool solve(const struct solve_problem *problem, const struct linear_options *options, double *b,
           double *weights);

#endif
