/* Errors that shift all repetitions of a point alike, so that their scatter does not reveal them: contacts,
 * fans, room temperature, meter drift. The error is a share of all power that the point draws. It is
 * estimated from points that deviate from the fit by more than their own noise; with too little data it is
 * assumed, and reported as assumed. */
#ifndef MODEL_FITTING_POINT_ERROR_H
#define MODEL_FITTING_POINT_ERROR_H

#include "model/data/model_result.h"
#include "model/data/setting.h"

/* The row of a model's settings: the assumed error, in percent. */
#define POINT_ERROR_SETTING                                                                                  \
    {                                                                                                        \
        "point_error", "%, assumed error of a whole point's power where too few points determine it", 0.05   \
    }

struct point_error {
    double share;   /* standard deviation, as a share of the power */
    double freedom; /* degrees of freedom of the estimate */
    bool assumed;
};

/* One deviation from a fit. */
struct point_residual {
    double off;      /* the square of the deviation */
    double variance; /* of the point's own noise */
    double squared;  /* variance that a share of 1 adds */
    double freedom;  /* degrees of freedom that it contributes, 0 to 1: 1 less its leverage */
};

/* Estimates the error beyond the noise (Paule and Mandel 1982). Uses the assumed share if the deviations have
 * fewer than POINT_ERROR_LEAST degrees of freedom and do not contradict it. */
enum { POINT_ERROR_LEAST = 4 };
struct point_error point_error_of(const struct point_residual *residuals, size_t count, double assumed);

/* The degrees of freedom of a variance that is the sum of own, with own_freedom, and of shift, the part of
 * the error. The quantile of Student's t is the mean of both quantiles, weighted by variance (Cochran and Cox
 * 1950). Satterthwaite's formula is not used: its result is too high, because the error was estimated as a
 * difference, and undefined where that difference fell below 0. */
double point_error_freedom(struct point_error error, double own, double own_freedom, double shift);

/* The assumed share, from the settings. */
double point_error_assumed(const struct model_setting_row *rows, const struct model_settings *settings);

/* Reports the error in result->point_error and, if it was assumed and is above 0, in a note. */
void point_error_report(struct point_error error, struct model_result *result);

#endif
