/* The few things that linear models need of LAPACK, on matrices that hold a row after the other. */
#ifndef MODEL_ALGEBRA_H
#define MODEL_ALGEBRA_H

#include <stdbool.h>
#include <stddef.h>

/* The pseudo-inverse of the rows * columns matrix x, rows >= columns, into inverse[columns * rows], by the
 * singular values, which fall and go to singular[columns]; right[columns * columns] gets the right singular
 * vectors, one a row. False when LAPACK does not converge or a singular value is 0. */
bool algebra_pseudo_inverse(const double *x, size_t rows, size_t columns, double *inverse, double *singular,
                            double *right);

/* product[rows] = matrix (rows * columns) times vector[columns]. */
void algebra_multiply(const double *matrix, size_t rows, size_t columns, const double *vector,
                      double *product);

/* Memory for count numbers, all 0. */
double *algebra_numbers(size_t count);

#endif
