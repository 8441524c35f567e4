#include "model/fitting/algebra.h"

#include "base/memory.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

double *algebra_numbers(size_t count)
{
    return memory_zeroed(count, sizeof(double));
}

void algebra_multiply(const double *matrix, size_t rows, size_t columns, const double *vector,
                      double *product)
{
    for (size_t i = 0; i < rows; i++) {
        product[i] = 0;
        for (size_t j = 0; j < columns; j++)
            product[i] += matrix[i * columns + j] * vector[j];
    }
}

bool algebra_pseudo_inverse(const double *x, size_t rows, size_t columns, double *inverse, double *singular,
                            double *right)
{
    double *copy = algebra_numbers(rows * columns);
    double *left = algebra_numbers(rows * columns);
    memcpy(copy, x, rows * columns * sizeof *copy);
    lapack_int n = (lapack_int)columns;
    bool good =
        LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'S', (lapack_int)rows, n, copy, n, singular, left, n, right, n) == 0;
    for (size_t i = 0; good && i < columns; i++)
        good = singular[i] > 0;
    for (size_t i = 0; good && i < columns; i++) {
        for (size_t k = 0; k < columns; k++)
            copy[k] = right[k * columns + i] / singular[k];
        algebra_multiply(left, rows, columns, copy, inverse + i * rows);
    }
    free(copy);
    free(left);
    return good;
}
