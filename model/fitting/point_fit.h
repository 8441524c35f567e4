/* Generalised linear least squares for points that have noise of their own and the error of whole points
 * (point_error.h). The share of that error and the weights that follow from it are estimated together, by
 * restricted maximum likelihood (Patterson and Thompson 1971). */
#ifndef MODEL_FITTING_POINT_FIT_H
#define MODEL_FITTING_POINT_FIT_H

#include "model/fitting/linear.h"
#include "model/fitting/point_error.h"
#include "model/fitting/spread.h"

struct point_fit {
    const struct linear_data *data; /* without a variance */
    double *own;                    /* variance of each row's own noise; 0: unknown */
    double own_freedom;             /* degrees of freedom of own */
    const double *whole;            /* the meter's whole reading of each row, of which the error is a share */
};

/* Scales own down to the rows' scatter if that is clearly smaller: the scatter of drifting repetitions
 * exceeds the uncertainty of their mean. Errors as linear_fit. */
enum status point_fit_trim(struct point_fit *fit, struct error *error);

/* Estimates the share from the rows and sets residuals[rows] at that share; assumed as in point_error_of.
 * Errors as linear_fit. */
enum status point_fit_error(const struct point_fit *fit, double assumed, struct point_residual *residuals,
                            struct point_error *found, struct error *error);

/* Fits at that share and computes the covariance; taken as in spread_fit. The intervals of fitted have the
 * combined degrees of freedom of their parts (Satterthwaite 1946); spread has the fewest of all coefficients.
 * Errors as linear_fit. */
enum status point_fit_spread(const struct point_fit *fit, const struct point_error *shift,
                             const struct spread_taken *taken, struct linear_fit *fitted,
                             struct spread *spread, struct error *error);

#endif
