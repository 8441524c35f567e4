/* Whitened rows of a fit, each divided by its noise, and an orthonormal basis of its regressors: what the
 * test of the form (form.h) and validation (validation.h) work on. */
#ifndef MODEL_FITTING_WHITENED_H
#define MODEL_FITTING_WHITENED_H

#include "model/fitting/fitted.h"

#include <stddef.h>

enum { BENCH_STRONGEST = 3 };

struct whitened {
    const struct fitted *fitted;
    size_t n, p;   /* rows; columns that are independent, and not all 0 */
    double *noise; /* of each row: the repetitions' own, with the error of whole points; all alike where it is
                    * unknown */
    double *basis; /* p orthonormal columns of n rows */
    double *to;    /* to[j * columns + k]: how far coefficient j moves per unit of basis column k */
    double *off;   /* the residuals, without what the basis follows */
    double *extra; /* room for one more column */
    double squares;     /* of off */
    double share;       /* the error of whole points that the rows show by themselves (point_error.h) */
    double own_squares; /* squares by the repetitions' own noise alone; NAN: unknown */
    double freedom;     /* of that noise; 0: unknown */
    double rounding;    /* a mean square of off below this shows nothing */
    double step_w;      /* from which power on the gain may be another (form.c) */
    size_t strong[BENCH_STRONGEST]; /* the columns that contribute most */
    size_t strong_count;
};

/* Release with whitened_end; fitted must stay. */
struct whitened whitened_start(const struct fitted *fitted);
void whitened_end(struct whitened *bench);

/* The error of whole points that the rows of all these regressions show together, as one meter reads them: of
 * each alone it would take up what a form of its own leaves, and none would stand out. */
void whitened_share(struct whitened *benches, size_t count);

/* Subtracts what the first count columns of the basis follow; parts[count], if not NULL, gets how much of
 * each. */
void whitened_sweep(const struct whitened *bench, size_t count, double *vector, double *parts);

/* How much of a row's noise the fit follows, 0 to 1. */
double whitened_leverage(const struct whitened *bench, size_t row);

/* The sum of products of n numbers. */
double whitened_product(const double *a, const double *b, size_t n);

/* The meter's whole reading of a row, or what was measured. */
double whitened_whole(const struct fitted_row *row);

#endif
