/* Validates fits of all models: errors for recipes left out, variance inflation, leverage, rows and
 * coefficients for export, charts of predictions and residuals. */
#ifndef MODEL_FITTING_VALIDATION_H
#define MODEL_FITTING_VALIDATION_H

#include "model/data/dataset.h"
#include "model/data/model_result.h"
#include "model/fitting/fitted.h"

/* Sets the result's validation, regressions, rows and charts (model_result.h). Each group of rows
 * (fitted.groups) is predicted by a fit to the rows of the other groups. A note names each group that is not
 * validated because the others do not determine all coefficients. */
void validation_set(const struct fitted *fitted, const struct dataset *dataset, struct model_result *result);

#endif
