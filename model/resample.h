/* Intervals by drawing a fit's residuals anew (Davison and Hinkley 1997, sections 6.2.3 and 6.2.5): each
 * residual made as large as the noise that it stands for, each resample's deviation measured by its own
 * noise, so that few rows give intervals as wide as they must be. */
#ifndef MODEL_RESAMPLE_H
#define MODEL_RESAMPLE_H

#include "model/linear.h"

/* The 95 % interval of function(coefficients), in interval->low and ->high around interval->value. */
void resample_interval(const struct linear_data *data, const struct linear_options *options,
                       const struct linear_fit *fit, linear_function *function, const void *context,
                       struct interval *interval);

#endif
