/* What a fit leaves behind, in one form for all models: its regressors, coefficients and covariance, and what
 * was measured and predicted. The test of the form (form.h), validation, exports and figures read this and
 * nothing else. */
#ifndef MODEL_FITTING_FITTED_H
#define MODEL_FITTING_FITTED_H

#include "model/data/dataset.h"
#include "model/fitting/linear.h"
#include "model/fitting/spread.h"

#include <stdbool.h>
#include <stddef.h>

enum { FITTED_SUSPECTS = 4 };

struct fitted_row {
    const struct result_point *point; /* what it was measured on; NULL: more than one point */
    const char *name;                 /* of a row of several points ("MB_L2"); NULL: the point's */
    size_t group;                     /* of its recipe (dataset.h): the unit of validation */
    double x[LINEAR_COLUMNS];         /* the regressors, in the order of fitted.names */
    double suspects[FITTED_SUSPECTS]; /* columns that the form may lack, in the order of fitted.suspects */
    double measured, predicted;       /* in fitted.unit */
    double own; /* standard error of measured that its repetitions (and its idle level) show; 0: unknown */
    double freedom; /* degrees of freedom of own */
    double whole;   /* the meter's whole reading, in fitted.unit: errors of whole points (point_error.h) are a
                     * share of it; 0: measured */
    double watts;   /* that reading in W, with which the meter's gain may change; 0: unknown */
    double celsius_off, celsius_moves; /* K: standard deviation of celsius; and how far it moves measured */
    double celsius, ghz, order;        /* temperature, clock, position in time of the run; NAN: unknown */
    bool unlike;                       /* not fitted: a point unlike those fitted, kept to validate */
};

/* One regression. Coefficients that are no sum of regressors (an exponent) have the derivative of the
 * prediction by them as their column, and a value of 0 in it: predicted is not the sum of columns times
 * values. */
struct fitted {
    const char *quantity, *unit; /* "dynamic power", "W" */
    char of[LINEAR_NAME_BYTES];  /* what this regression is of ("L2 at 8 threads"); "": the whole model */
    char names[LINEAR_COLUMNS][LINEAR_NAME_BYTES]; /* of the coefficients, as in the result's coefficients */
    const char *suspects[FITTED_SUSPECTS]; /* the model's own, beside those that form_test makes; borrowed;
                                            * NULL ends them */
    struct spread spread;                  /* values and covariance, in the order of names */
    struct fitted_row *rows;
    size_t count;
    double
        *common; /* owned; NULL, or errors that rows share (a thermometer's, those of what was subtracted): */
    size_t commons;     /* common[i * commons + k] is how far one standard deviation of error k moves row i */
    const char *groups; /* what validation leaves out: "recipes" (NULL), "coolings" */
    bool tested;        /* form_test has judged it */
    struct fitted *next; /* of the same model, with coefficients of its own; NULL: none */
};

/* A new regression: the first of a model is the one that it is given, each later one is appended to it.
 * quantity and unit are borrowed; of NULL: the whole model. */
struct fitted *fitted_begin(struct fitted *first, const char *quantity, const char *unit, const char *of);

/* A new row, all of whose optional members are unknown; valid until the next. */
struct fitted_row *fitted_add(struct fitted *fitted);

/* Sets the row's point, group, temperature, clock and order from the repetitions of one point, or of several
 * points (then its name is the caller's). */
void fitted_place(struct fitted_row *row, const struct dataset *dataset, const struct result_point *point);

/* The row's name, for sentences: "MB_L2", or its benchmark and point, in buffer. */
enum { FITTED_LABEL_BYTES = 256 };
const char *fitted_label(const struct fitted_row *row, char buffer[FITTED_LABEL_BYTES]);

/* Releases the rows, and all regressions after the first. */
void fitted_free(struct fitted *fitted);

#endif
