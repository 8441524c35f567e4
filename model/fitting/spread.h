/* The joint uncertainty of linear coefficients: their covariance, which gives any weighted sum of them its
 * interval directly. Models predict in many places, where a bootstrap would take too long. */
#ifndef MODEL_FITTING_SPREAD_H
#define MODEL_FITTING_SPREAD_H

#include "base/stats.h"
#include "model/fitting/linear.h"

struct spread {
    size_t columns;
    double value[LINEAR_COLUMNS];
    double covariance[LINEAR_COLUMNS * LINEAR_COLUMNS];
    double freedom; /* degrees of freedom of the noise */
    size_t rows;
};

/* An uncertain part that was subtracted from y beforehand: the sum of rows * coefficients. */
struct spread_taken {
    const struct spread *spread;
    const double *rows; /* rows of the data * columns of the spread */
};

/* Fits by linear_fit (plain) and computes the covariance. cluster NULL: each row's noise is independent, and
 * all rows have the same variance. Otherwise, rows with the same cluster[rows] number (from 0) may share
 * noise of any size (the jackknife over clusters: Bell and McCaffrey 2002, CR3). taken: the part that was
 * subtracted from y, whose errors all rows share; NULL: none. */
enum status spread_fit(const struct linear_data *data, const size_t *cluster,
                       const struct spread_taken *taken, struct linear_fit *fit, struct spread *spread,
                       struct error *error);

/* Fits with data->variance as the known variance of each row's independent noise; freedom: its degrees of
 * freedom; taken as above. */
enum status spread_fit_known(const struct linear_data *data, double freedom, const struct spread_taken *taken,
                             struct linear_fit *fit, struct spread *spread, struct error *error);

/* How far each row's y moves each coefficient: moves[columns * rows]. False when LAPACK does not converge. */
bool spread_moves(const struct linear_data *data, double *moves);

/* Adds an error that the rows of each group share: group[rows] is from 0 to count - 1, off[rows] the error's
 * standard deviation in each row. */
void spread_add_common(const struct linear_data *data, const size_t *group, size_t count, const double *off,
                       struct spread *spread);

/* Adds count errors that rows share: common[rows * count] is how far one standard deviation of each moves
 * each row. */
void spread_add_shared(const struct linear_data *data, const double *common, size_t count,
                       struct spread *spread);

/* The 97.5 % quantile of Student's t (Abramowitz and Stegun 1964, 26.7.5), within 1 % from 3 degrees on. */
double spread_student(double freedom);

/* The sum of weights[columns] * coefficients, with its 95 % interval (Student's t). */
struct interval spread_sum(const struct spread *spread, const double *weights);

/* The lower triangle root[columns * columns] whose product with its transpose is the covariance. */
void spread_root(const struct spread *spread, double *root);

#endif
