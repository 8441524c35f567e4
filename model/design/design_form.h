/* What the design of measurements must know of a model: its coefficients, and the row of regressors that a
 * point would add, from what the plan says the point does. */
#ifndef MODEL_DESIGN_DESIGN_FORM_H
#define MODEL_DESIGN_DESIGN_FORM_H

#include "model/data/vf.h"
#include "model/model.h"
#include "runner/results/recorded_machine.h"

#include <stdbool.h>
#include <stddef.h>

/* Most rows of one point: several only for a chip that cools. */
enum { DESIGN_ROWS = 16 };

/* The coefficients that some candidate determines. nominal: of a typical chip; the power that points are
 * assumed to draw, on which the error of whole points and the voltage's exponent depend. */
struct design_columns {
    size_t count;
    char names[LINEAR_COLUMNS][LINEAR_NAME_BYTES];
    double nominal[LINEAR_COLUMNS];
};

/* Beside a point, what its row depends on. */
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
        *together;   /* parameters in whose values the points of one candidate differ; NULL: none */
    bool contrasts;  /* only differences among these points count */
    bool of_lengths; /* they differ in the length of their repetitions, which stays */
    bool cools;      /* the interval after the run is measured */

    /* Whether the fit uses the point; NULL: all of them. */
    bool (*fits)(const struct dataset_row *row);

    /* Whether the fit tests its form by the point; NULL: by none. *share of the chip works there (1). */
    bool (*tests)(const struct dataset_row *row, double *share);

    /* Adds the columns that this point may need. */
    void (*add_columns)(const struct design_chip *chip, const struct dataset_row *row,
                        struct design_columns *columns);

    /* The point's rows, x[DESIGN_ROWS * columns]: dynamic power (idle power where it cools) in W is their
     * product with the coefficients. Returns their number; 0: nothing is known of the point. */
    size_t (*fill)(const struct design_chip *chip, const struct dataset_row *row,
                   const struct design_columns *columns, double *x);
};

/* For these functions: adds a column unless it is there; adds to its place in a row, if it is there; a number
 * of a row by name (dataset_number). The names are prefix and name together. */
void design_add(struct design_columns *columns, const char *prefix, const char *name, double nominal);
void design_set(const struct design_columns *columns, const char *prefix, const char *name, double value,
                double *x);
double design_number(const struct dataset_row *row, const char *prefix, const char *name);

/* The assumed temperature of a cooling chip so many seconds after its run, degrees Celsius. */
#define DESIGN_HOT_C 68
#define DESIGN_COLD_C 38
double design_celsius(double seconds);

#endif
