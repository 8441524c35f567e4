/* What a fit shows about itself, for all models: errors for recipes left out, variance inflation, leverage,
 * its rows and coefficients for export, and charts of predictions and residuals. */
#ifndef MODEL_FITTING_VALIDATION_H
#define MODEL_FITTING_VALIDATION_H

#include "model/data/dataset.h"
#include "model/data/model_result.h"
#include "model/fitting/fitted.h"

/* Sets the result's validation, regressions, rows and charts (model_result.h). Each group of rows
 * (fitted.groups) is predicted by a fit to the others; rows unlike those fitted, by the fit to rows of other
 * groups. Groups without which the others do not determine all coefficients are noted. */
void validation_set(const struct fitted *fitted, const struct dataset *dataset, struct model_result *result);

#endif
