/* The few LAPACK operations that linear models need, on row-major matrices. */
#ifndef MODEL_FITTING_ALGEBRA_H
#define MODEL_FITTING_ALGEBRA_H

#include <stdbool.h>
#include <stddef.h>

/* The pseudo-inverse of the rows * columns matrix x, rows >= columns, into inverse[columns * rows], by
 * singular value decomposition. singular[columns] gets the singular values in descending order, right[columns
 * * columns] the right singular vectors, one per row. False when LAPACK does not converge or a singular value
 * is 0. */
bool algebra_pseudo_inverse(const double *x, size_t rows, size_t columns, double *inverse, double *singular,
                            double *right);

/* product[rows] = matrix (rows * columns) times vector[columns]. */
void algebra_multiply(const double *matrix, size_t rows, size_t columns, const double *vector,
                      double *product);

/* Memory for count numbers, initialised to 0. */
double *algebra_numbers(size_t count);

#endif
