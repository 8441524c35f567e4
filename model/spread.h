/* How far linear coefficients may be off, together: their covariance, from which any sum of them gets its
 * interval at once. For models that predict at many places, where a bootstrap at each would take too long. */
#ifndef MODEL_SPREAD_H
#define MODEL_SPREAD_H

#include "base/stats.h"
#include "model/linear.h"

#include <jansson.h>

struct spread {
    size_t columns;
    double value[LINEAR_COLUMNS];
    double covariance[LINEAR_COLUMNS * LINEAR_COLUMNS];
    double freedom; /* degrees of freedom of the noise */
    size_t rows;
};

/* What was taken from y beforehand and is itself uncertain: the sum of rows * coefficients. */
struct spread_taken {
    const struct spread *spread;
    const double *rows; /* rows of the data * columns of the spread */
};

/* Fits by linear_fit (plain), and the covariance of what it found.
 *
 * cluster NULL: each row's noise is its own and of one size. Else cluster[rows] numbers (0 and on) rows whose
 * noise may be common and of any size (the jackknife over clusters: Bell and McCaffrey 2002, CR3).
 * taken: NULL, or what y is the rest of: its errors are common to all rows, and are added. */
enum status spread_fit(const struct linear_data *data, const size_t *cluster,
                       const struct spread_taken *taken, struct linear_fit *fit, struct spread *spread,
                       struct error *error);

/* The sum of weights[columns] * coefficients, with its 95 % interval (Student's t). */
struct interval spread_sum(const struct spread *spread, const double *weights);

/* {"value": [...], "covariance": [...], "freedom", "rows"}; new reference. False when the document is not
 * such a one. */
json_t *spread_to_json(const struct spread *spread);
bool spread_from_json(const json_t *document, struct spread *spread);

#endif
