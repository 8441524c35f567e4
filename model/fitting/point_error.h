/* Errors that shift a whole point and that its repetitions cannot show: contacts, fans, room temperature,
 * meter drift. The error is a share of all power that a point draws. Its size is estimated from points that
 * deviate from the fit by more than their own noise; with too little data it is assumed, and reported as
 * such. */
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

/* One deviation from a fit: its own noise, and the effect of a share of 1. */
struct point_residual {
    double off;      /* squared */
    double variance; /* of its own noise */
    double squared;  /* variance per unit of the squared share */
    double freedom;  /* degrees of freedom it contributes: less than 1 if the fit followed it */
};

/* Estimates the deviations beyond the noise (Paule and Mandel 1982). Uses assumed (a share) if they have
 * fewer than POINT_ERROR_LEAST degrees of freedom and it explains them. */
enum { POINT_ERROR_LEAST = 4 };
struct point_error point_error_of(const struct point_residual *residuals, size_t count, double assumed);

/* The degrees of freedom of a variance that is the sum of own, of own_freedom, and of shift, which is the
 * error's part. Its t is the mean of theirs, weighted by variance (Cochran and Cox 1950):
 * Satterthwaite's freedom is too high, as the error was estimated as a difference, and none where it fell
 * below 0. */
double point_error_freedom(struct point_error error, double own, double own_freedom, double shift);

/* The share that the settings assume. */
double point_error_assumed(const struct model_setting_row *rows, const struct model_settings *settings);

/* Reports the error in result->point_error and, if it was assumed and is above 0, in a note. */
void point_error_tell(struct point_error error, struct model_result *result);

#endif
