/* Whether a model's form describes its data: residuals are held against what the form leaves out. */
#ifndef MODEL_FITTING_FORM_H
#define MODEL_FITTING_FORM_H

#include "base/error.h"
#include "model/data/model_result.h"
#include "model/fitting/fitted.h"

/* Tests each regression for a constant, the square of each regressor and of the prediction, products of the
 * strongest regressors, order in time, temperature and clock; and its rows' scatter against the repetitions'
 * own error. A model calls it once its spread is complete and before it derives coefficients, so that these
 * carry the structural error: when the form fails, the spread is widened so that its intervals hold both the
 * coefficients of the form and those of the form with the suspect, and model_disbelieve names the suspect.
 * What could not be tested is noted. Sets result->form. model_fit calls it for models that have not, and
 * widens the coefficients by name. */
enum status form_test(struct fitted *fitted, struct model_result *result, struct error *error);

/* The probability that F with these degrees of freedom exceeds f. */
double form_chance(double f, double above, double below);

#endif
