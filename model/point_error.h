/* What shifts a whole point and none of its repetitions shows: contacts, fans, a room, a meter's own drift.
 * It is a share of all power that a point draws. How large it is, the points tell that lie off what is fitted
 * to them by more than their own noise; where hardly any is left over, it is assumed, and that is said. */
#ifndef MODEL_POINT_ERROR_H
#define MODEL_POINT_ERROR_H

#include "model/model.h"

/* The row of a model's settings: what is assumed, in percent. */
#define POINT_ERROR_SETTING                                                                                  \
    {                                                                                                        \
        "point_error", "%, how far a whole point's power is off where too few points tell it", 0.05          \
    }

struct point_error {
    double share;   /* standard deviation, as a share of the power */
    double freedom; /* degrees that it rests on */
    bool assumed;
};

/* One number that is off a fit: by its own noise, and by what a share of 1 would add. */
struct point_residual {
    double off;      /* square */
    double variance; /* of its own noise */
    double squared;  /* variance for each unit of the share's square */
    double freedom;  /* degrees that it stands for: less than 1 where the fit followed it */
};

/* Sees how far numbers are off beyond their noise (Paule and Mandel 1982); assumes assumed (a share) where
 * they are of fewer than POINT_ERROR_LEAST degrees, and that explains them. */
enum { POINT_ERROR_LEAST = 4 };
struct point_error point_error_of(const struct point_residual *residuals, size_t count, double assumed);

/* What the settings assume, as a share. */
double point_error_assumed(const struct model *model, const struct model_settings *settings);

/* Says in document["point_error"] and, where it was assumed and is above 0, in a note what was taken. */
void point_error_tell(struct point_error error, json_t *document);

#endif
