/* Tests whether a model's form describes its data: residuals are compared with terms that the form lacks. */
#ifndef MODEL_FITTING_FORM_H
#define MODEL_FITTING_FORM_H

#include "model/data/model_result.h"
#include "model/fitting/fitted.h"

/* Tests all regressions of a model for terms that they lack (suspects): a constant, the square of each
 * regressor and of the prediction, products of the strongest regressors, order in time, temperature and
 * clock. Also compares the scatter of the rows with the repetitions' own error. Sets result->form.
 *
 * If a suspect is found, model_disbelieve names it, and each spread is widened until its intervals contain
 * the coefficients both with and without the suspect; so are the result's coefficients of the same names. A
 * model calls this once its spread is complete and before it derives coefficients, so that these carry the
 * error of the form; model_fit calls it for the other models. A note reports when too few rows allow no test.
 */
void form_test(struct fitted *fitted, struct model_result *result);

/* The probability that F, with above and below degrees of freedom, exceeds f. */
double form_chance(double f, double above, double below);

#endif
