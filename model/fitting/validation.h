/* What a fit shows about itself, for all models: errors for recipes left out, variance inflation, leverage,
 * its rows and coefficients for export, and charts of predictions and residuals. */
#ifndef MODEL_FITTING_VALIDATION_H
#define MODEL_FITTING_VALIDATION_H

#include "model/data/dataset.h"
#include "model/fitting/fitted.h"

#include <jansson.h>

/* Sets in document:
 *   "validation": {"leaves_out", "groups", "rows", "mean_absolute", "worst": shares of what was measured,
 * "worst_point", "whole_mean_absolute": share of the meter's whole reading, "programs": [{"name", "rows",
 * "mean_absolute"}]}. Each group of rows (fitted.groups) is predicted by a fit to the others; rows unlike
 * those fitted, by the fit to rows of other groups. Groups without which the others do not determine all
 * coefficients are noted. "regressions": [{"of", "quantity", "unit", "freedom", "coefficients": [{"name",
 * "value", "covariance": [...], "inflation": of the variance, by the other columns}]}] "rows":
 * [{"regression": index, "point", "recipe", "measured", "predicted", "left_out": predicted without its group,
 *     "error": standard, from its repetitions, "leverage", "unlike"}]; a number that is unknown is null
 *   "charts": predicted against measured, and residuals. */
void validation_set(const struct fitted *fitted, const struct dataset *dataset, json_t *document);

#endif
