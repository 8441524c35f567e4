/* What the design of measurements needs from a model: its coefficients, and the row of regressors that a
 * point would add, computed from the point's plan. */
#ifndef MODEL_DESIGN_DESIGN_FORM_H
#define MODEL_DESIGN_DESIGN_FORM_H

#include "model/data/vf.h"
#include "model/model.h"
#include "runner/results/recorded_machine.h"

#include <stdbool.h>
#include <stddef.h>

/* The most rows of one point. Only the cooling of a chip has several. */
enum { DESIGN_ROWS = 16 };

/* The coefficients that some candidate determines. nominal: their values in a typical chip, from which the
 * power of points is estimated: the error of whole points and the voltage's exponent depend on it. */
struct design_columns {
    size_t count;
    char names[LINEAR_COLUMNS][LINEAR_NAME_BYTES];
    double nominal[LINEAR_COLUMNS];
};

/* What the row of a point depends on, besides the point. */
struct design_chip {
    struct recorded_machine machine;
    const struct model_settings *settings;
    struct vf_table vf;
    double volts; /* the highest of the candidates; NAN: unknown */
};

struct design_form {
    const char *const *recipes; /* shipped ones, NULL-terminated */
    const char *needs;          /* what a point must have, for a sentence */
    const char *const
        *together;   /* points that differ only in these parameters are one candidate; NULL: none */
    bool contrasts;  /* only differences among the points of a candidate count */
    bool of_lengths; /* these differ in the length of their repetitions, which is not changed */
    bool cools;      /* the interval after the run is measured */

    /* Whether the fit uses the point; NULL: all of them. */
    bool (*fits)(const struct dataset_row *row);

    /* Whether the fit tests its form with the point; NULL: with none. *share: the share of the chip that
     * works there (1 before). */
    bool (*tests)(const struct dataset_row *row, double *share);

    /* Adds the columns that this point may need. */
    void (*add_columns)(const struct design_chip *chip, const struct dataset_row *row,
                        struct design_columns *columns);

    /* Fills in the point's rows, x[DESIGN_ROWS * columns]: their product with the coefficients is its dynamic
     * power in W (if it cools, idle power). Returns their number; 0: the point cannot be predicted. */
    size_t (*fill)(const struct design_chip *chip, const struct dataset_row *row,
                   const struct design_columns *columns, double *x);
};

/* For these functions. The full name is prefix and name together. design_add: adds a column unless it exists.
 * design_set: adds value to the column's element of x, if the column exists and value is finite.
 * design_number: a number of a repetition (dataset_number). */
void design_add(struct design_columns *columns, const char *prefix, const char *name, double nominal);
void design_set(const struct design_columns *columns, const char *prefix, const char *name, double value,
                double *x);
double design_number(const struct dataset_row *row, const char *prefix, const char *name);

/* The assumed temperature of a cooling chip so many seconds after its run, degrees Celsius. */
#define DESIGN_HOT_C 68
#define DESIGN_COLD_C 38
double design_celsius(double seconds);

#endif
