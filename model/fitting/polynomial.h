/* Least-squares polynomials of low degree, for curves beside observations: idle power over temperature is
 * cubic (Adhinarayanan et al. 2016, section V), energy over accesses linear (Delestrac et al. 2024). The
 * samples' x is first shifted and scaled to [-1, 1], so that temperatures and billions of accesses are
 * equally well conditioned. */
#ifndef MODEL_FITTING_POLYNOMIAL_H
#define MODEL_FITTING_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>

enum { POLYNOMIAL_MOST = 3 };

struct polynomial {
    size_t degree;
    double center, scale; /* the coefficients apply to (x - center) / scale */
    double coefficients[POLYNOMIAL_MOST + 1];
    double r2; /* the explained share of y's variance; 1 if y does not vary */
};

/* False when there are too few distinct x for the degree (at most POLYNOMIAL_MOST), or a value is not
 * finite. */
bool polynomial_fit(const double *x, const double *y, size_t count, size_t degree, struct polynomial *fit);

double polynomial_at(const struct polynomial *fit, double x);

#endif
