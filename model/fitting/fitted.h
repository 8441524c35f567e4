/* The regressions of a fit, in one form for all models: regressors, coefficients and covariance, measured and
 * predicted values. The test of the form (form.h), validation, exports and figures read only these. */
#ifndef MODEL_FITTING_FITTED_H
#define MODEL_FITTING_FITTED_H

#include "model/data/dataset.h"
#include "model/fitting/linear.h"
#include "model/fitting/spread.h"

#include <stdbool.h>
#include <stddef.h>

enum { FITTED_SUSPECTS = 4 };

struct fitted_row {
    const struct result_point *point; /* the point that was measured; NULL: more than one */
    const char *name;                 /* of a row of several points ("MB_L2"); NULL: the point's */
    size_t group;                     /* of its recipe (dataset.h): the unit of validation */
    double x[LINEAR_COLUMNS];         /* the regressors, in the order of fitted.names */
    double suspects[FITTED_SUSPECTS]; /* columns that the form may lack, in the order of fitted.suspects */
    double measured, predicted;       /* in fitted.unit */
    double own;     /* standard error of measured, from its repetitions (and its idle level); 0: unknown */
    double freedom; /* degrees of freedom of own */
    double whole;   /* the meter's whole reading, in fitted.unit: errors of whole points (point_error.h) are a
                     * share of it; 0: measured */
    double watts;   /* that reading in W: the meter's gain may depend on it; 0: unknown */
    double celsius_off;         /* standard deviation of celsius, K */
    double celsius_moves;       /* the change of measured by one such deviation, in fitted.unit */
    double celsius, ghz, order; /* temperature, clock, position in time of the run; NAN: unknown */
    bool unlike;                /* not fitted: a point unlike those fitted, kept to validate */
};

/* One regression. A coefficient in which the prediction is not linear (an exponent) has the derivative of the
 * prediction as its column, and the value 0: then predicted is not the sum of columns times values. */
struct fitted {
    const char *quantity, *unit; /* "dynamic power", "W" */
    char of[LINEAR_NAME_BYTES];  /* the part of the model ("L2 at 8 threads"); "": the whole model */
    char names[LINEAR_COLUMNS][LINEAR_NAME_BYTES]; /* of the coefficients, as in the result's coefficients */
    const char *suspects[FITTED_SUSPECTS]; /* the model's own, beside those that form_test makes; borrowed;
                                            * NULL ends them */
    struct spread spread;                  /* values and covariance, in the order of names */
    struct fitted_row *rows;
    size_t count;
    double *common; /* errors that rows share (a thermometer's, the idle model's): common[i * commons + k] is
                     * how far one standard deviation of error k moves row i. Owned; NULL: none */
    size_t commons;
    const char *groups;  /* the groups that validation leaves out in turn: "recipes" (NULL), "coolings" */
    bool tested;         /* form_test has judged it */
    struct fitted *next; /* the next regression of the same model; NULL: none */
};

/* Begins a regression: the model's first one in `first` itself, each later one appended to it. quantity and
 * unit are borrowed; of NULL: the whole model. */
struct fitted *fitted_begin(struct fitted *first, const char *quantity, const char *unit, const char *of);

/* Adds a row whose optional members are all unknown; the pointer is valid until the next call. */
struct fitted_row *fitted_add(struct fitted *fitted);

/* Sets the row's point, group, temperature, clock and order from the repetitions of the point. For a row of
 * several points the caller sets the name. */
void fitted_place(struct fitted_row *row, const struct dataset *dataset, const struct result_point *point);

/* The row's name, for sentences: "MB_L2", or its benchmark and point, in buffer. */
enum { FITTED_LABEL_BYTES = 256 };
const char *fitted_label(const struct fitted_row *row, char buffer[FITTED_LABEL_BYTES]);

/* Releases the rows, and all regressions after the first. */
void fitted_free(struct fitted *fitted);

#endif
