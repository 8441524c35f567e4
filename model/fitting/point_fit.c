#include "model/fitting/point_fit.h"

#include "base/memory.h"
#include "model/fitting/algebra.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 20 };
static const double SETTLED = 1e-4;

/* Lower limit of the noise, as a share of the value: computed numbers have none, but need a finite weight. */
static const double AS_EXACT = 1e-7;

/* The variance of each row at that share, all above 0. */
static void weigh(const struct point_fit *fit, double share, double *variance)
{
    double largest = 0;
    for (size_t i = 0; i < fit->data->rows; i++)
        largest = fmax(largest, fabs(fit->whole[i]));
    for (size_t i = 0; i < fit->data->rows; i++)
        variance[i] = fit->own[i] + pow(share * fit->whole[i], 2) + pow(AS_EXACT * largest, 2);
}

/* The leverage of a row: the diagonal element of the hat matrix. */
static double leverage_of(const struct linear_data *data, const double *moves, size_t row)
{
    double leverage = 0;
    for (size_t j = 0; j < data->columns; j++)
        leverage += data->x[row * data->columns + j] * moves[j * data->rows + row];
    return leverage;
}

/* Sets residuals[rows] at that share. Errors as linear_fit. */
static enum status set_residuals(const struct point_fit *fit, double share, struct point_residual *residuals,
                                 struct error *error)
{
    const struct linear_options plain = {0};
    struct linear_fit fitted;
    struct linear_data data = *fit->data;
    double *variance = algebra_numbers(data.rows + 1);
    double *moves = algebra_numbers(data.rows * data.columns + 1);
    weigh(fit, share, variance);
    data.variance = variance;
    enum status status = linear_fit(&data, &plain, &fitted, error);
    if (status == STATUS_OK && !spread_moves(&data, moves))
        status = error_set(error, STATUS_FAILED, "the least-squares fit did not converge");
    for (size_t i = 0; status == STATUS_OK && i < data.rows; i++)
        residuals[i] =
            (struct point_residual){pow(data.y[i] - linear_predict(&fitted, data.x + i * data.columns), 2),
                                    variance[i] - pow(share * fit->whole[i], 2), pow(fit->whole[i], 2),
                                    fmax(0, 1 - leverage_of(&data, moves, i))};
    free(variance);
    free(moves);
    return status;
}

/* The 1 % quantile of chi squared (Wilson and Hilferty 1931). */
static double least_chance(double freedom)
{
    const double z = 2.326347874;
    double spread = 2 / (9 * freedom);
    return freedom * pow(fmax(0, 1 - spread - z * sqrt(spread)), 3);
}

enum status point_fit_trim(struct point_fit *fit, struct error *error)
{
    size_t rows = fit->data->rows;
    struct point_residual *residuals = memory_zeroed(rows + 1, sizeof *residuals);
    double sum = 0;
    double freedom = 0;
    enum status status = set_residuals(fit, 0, residuals, error);
    for (size_t i = 0; status == STATUS_OK && i < rows; i++) {
        sum += residuals[i].off / residuals[i].variance;
        freedom += residuals[i].freedom;
    }
    free(residuals);
    if (status != STATUS_OK || !(freedom > 0) || sum >= least_chance(freedom))
        return status;
    for (size_t i = 0; i < rows; i++)
        fit->own[i] *= sum / freedom;
    fit->own_freedom = freedom;
    return status;
}

enum status point_fit_error(const struct point_fit *fit, double assumed, struct point_residual *residuals,
                            struct point_error *found, struct error *error)
{
    /* The first weights are those of the error of whole points alone, which needs no estimate of noise. */
    double share = 1;
    enum status status = STATUS_OK;
    for (int round = 0; status == STATUS_OK && round < ROUNDS; round++) {
        status = set_residuals(fit, share, residuals, error);
        if (status != STATUS_OK)
            return status;
        *found = point_error_of(residuals, fit->data->rows, assumed);
        if (fabs(found->share - share) <= SETTLED * share)
            break;
        share = found->share;
    }
    return status;
}

/* Degrees of freedom of one coefficient's variance, which is the sum of the rows' own noise, of the error of
 * whole points, and of the error of the part that was subtracted. */
static double freedom_of(const struct point_fit *fit, const struct point_error *shift, const double *moves,
                         double variance, double taken_freedom)
{
    double own = 0;
    double whole = 0;
    for (size_t i = 0; i < fit->data->rows; i++) {
        own += pow(moves[i], 2) * fit->own[i];
        whole += pow(moves[i] * shift->share * fit->whole[i], 2);
    }
    double taken = fmax(0, variance - own - whole);
    double over = own * own / fmax(1, fit->own_freedom) + taken * taken / fmax(1, taken_freedom);
    double independent = over > 0 ? fmax(1, pow(own + taken, 2) / over) : shift->freedom;
    return own + taken + whole > 0 ? point_error_freedom(*shift, own + taken, independent, whole) : 1;
}

enum status point_fit_spread(const struct point_fit *fit, const struct point_error *shift,
                             const struct spread_taken *taken, struct linear_fit *fitted,
                             struct spread *spread, struct error *error)
{
    struct linear_data data = *fit->data;
    double *variance = algebra_numbers(data.rows + 1);
    double *moves = algebra_numbers(data.rows * data.columns + 1);
    double least = INFINITY;
    weigh(fit, shift->share, variance);
    data.variance = variance;
    enum status status = spread_fit_known(&data, 1, taken, fitted, spread, error);
    if (status == STATUS_OK && !spread_moves(&data, moves))
        status = error_set(error, STATUS_FAILED, "the least-squares fit did not converge");
    for (size_t j = 0; status == STATUS_OK && j < data.columns; j++) {
        double one[LINEAR_COLUMNS] = {0};
        one[j] = 1;
        spread->freedom =
            freedom_of(fit, shift, moves + j * data.rows, spread->covariance[j * data.columns + j],
                       taken == NULL ? 1 : taken->spread->freedom);
        fitted->interval[j] = spread_sum(spread, one);
        least = fmin(least, spread->freedom);
    }
    spread->freedom = least;
    free(variance);
    free(moves);
    return status;
}
