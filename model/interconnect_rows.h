/* The rows that the model "interconnect" is fitted to: differences within a condition, in columns for the
 * product, the floor, patterns and temperature. */
#ifndef MODEL_INTERCONNECT_ROWS_H
#define MODEL_INTERCONNECT_ROWS_H

#include "model/interconnect.h"

enum { INTERCONNECT_PATTERNS = 16 };

/* What the coefficients stand for; the first is the constant of the product. */
struct interconnect_columns {
    size_t count;
    long floor, drift; /* -1: not there */
    size_t pattern_count;
    const char *patterns[INTERCONNECT_PATTERNS];
    char names[LINEAR_COLUMNS][LINEAR_NAME_BYTES];
    const char *list[LINEAR_COLUMNS];
};

/* The columns that the samples can tell; the texts of list are in columns itself. */
void interconnect_choose_columns(const struct interconnect_samples *samples,
                                 struct interconnect_columns *columns);

struct interconnect_rows {
    double *x, *y;
    double *scale; /* of each row: what it is over the difference, in W, that it stands for */
    const struct interconnect_sample **sample; /* that each row adds to its condition */
    struct linear_data data;
};

/* Independent rows of one sample's noise (Helmert's contrasts within each condition), so that all that
 * samples of a condition share falls away. Free with interconnect_free_rows; columns must stay. */
struct interconnect_rows interconnect_make_rows(const struct interconnect_samples *samples,
                                                const struct interconnect_columns *columns);

void interconnect_free_rows(struct interconnect_rows *rows);

/* Predicts each recipe's differences by a fit to the others': sets document["validation"], and notes recipes
 * that cannot be left out, with the reason. */
void interconnect_validate(const struct interconnect_rows *rows, size_t groups, json_t *document);

#endif
