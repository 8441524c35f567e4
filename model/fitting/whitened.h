/* The whitened rows of a fit, each divided by its noise, and an orthonormal basis of its regressors, for the
 * test of the form (form.h) and validation (validation.h). */
#ifndef MODEL_FITTING_WHITENED_H
#define MODEL_FITTING_WHITENED_H

#include "model/fitting/fitted.h"

#include <stddef.h>

enum { BENCH_STRONGEST = 3 };

struct whitened {
    const struct fitted *fitted;
    size_t n, p;    /* numbers of rows, and of independent columns that are not all 0 */
    double *noise;  /* of each row: the repetitions' own and the error of whole points; equal if unknown */
    double *basis;  /* p orthonormal columns of n rows */
    double *to;     /* to[j * columns + k]: how far coefficient j moves per unit of basis column k */
    double *off;    /* the residuals, orthogonal to the basis */
    double *extra;  /* room for one more column */
    double squares; /* sum of squares of off */
    double share;   /* the error of whole points, estimated from these rows alone (point_error.h) */
    double own_squares;             /* squares with the repetitions' own noise alone; NAN: unknown */
    double freedom;                 /* degrees of freedom of that noise; 0: unknown */
    double rounding;                /* a mean square of off below this is rounding error */
    double step_w;                  /* the power at which the meter's gain may change, W (form.c) */
    size_t strong[BENCH_STRONGEST]; /* the columns that contribute most */
    size_t strong_count;
};

/* Release with whitened_end; fitted must stay. */
struct whitened whitened_start(const struct fitted *fitted);
void whitened_end(struct whitened *bench);

/* Weights the rows by the error of whole points, estimated from all these regressions together, as one meter
 * read them. Estimated from a single regression, it would absorb the misfit of that regression's form. */
void whitened_share(struct whitened *benches, size_t count);

/* Makes the vector orthogonal to the first count columns of the basis; parts[count], if not NULL, gets its
 * components along them. */
void whitened_sweep(const struct whitened *bench, size_t count, double *vector, double *parts);

/* The leverage of a row, 0 to 1: how much of its noise the fit follows. */
double whitened_leverage(const struct whitened *bench, size_t row);

/* The sum of products of n numbers. */
double whitened_product(const double *a, const double *b, size_t n);

/* The meter's whole reading of a row; if unknown, the measured value's amount. */
double whitened_whole(const struct fitted_row *row);

#endif
