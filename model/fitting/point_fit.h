/* Linear fits to points, each with noise of its own and with the error of whole points (point_error.h):
 * generalised least squares. The share by which whole points are off and the weights that follow from it are
 * estimated together, by restricted maximum likelihood (Patterson and Thompson 1971). */
#ifndef MODEL_FITTING_POINT_FIT_H
#define MODEL_FITTING_POINT_FIT_H

#include "model/fitting/linear.h"
#include "model/fitting/point_error.h"
#include "model/fitting/spread.h"

struct point_fit {
    const struct linear_data *data; /* without a variance */
    double *own;                    /* variance of each row's own noise; 0: nothing is known of it */
    double own_freedom;             /* degrees of freedom of these */
    const double *whole;            /* all that the meter read of it: what a share is a share of */
};

/* Scales own down to what the rows scatter where they scatter clearly less: repetitions that drift scatter
 * more than their mean is uncertain by. Errors as linear_fit. */
enum status point_fit_trim(struct point_fit *fit, struct error *error);

/* Sets residuals[rows] at that share. Errors as linear_fit. */
enum status point_fit_residuals(const struct point_fit *fit, double share, struct point_residual *residuals,
                                struct error *error);

/* The share that the rows tell, with residuals[rows] at it; assumed as in point_error_of. Errors as
 * linear_fit. */
enum status point_fit_error(const struct point_fit *fit, double assumed, struct point_residual *residuals,
                            struct point_error *found, struct error *error);

/* The fit at that share and its covariance; taken as in spread_fit. The intervals of fitted have the degrees
 * of freedom that their parts have (Satterthwaite 1946), those of spread the fewest of all coefficients.
 * Errors as linear_fit. */
enum status point_fit_spread(const struct point_fit *fit, const struct point_error *shift,
                             const struct spread_taken *taken, struct linear_fit *fitted,
                             struct spread *spread, struct error *error);

#endif
