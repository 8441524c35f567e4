#include "model/fitting/spread.h"

#include "base/json.h"
#include "model/fitting/algebra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double root_of_weight(const struct linear_data *data, size_t row)
{
    return data->variance == NULL ? 1 : 1 / sqrt(data->variance[row]);
}

static void set_lengths(const struct linear_data *data, double *length)
{
    for (size_t i = 0; i < data->rows; i++)
        for (size_t j = 0; j < data->columns; j++)
            length[j] = hypot(length[j], root_of_weight(data, i) * data->x[i * data->columns + j]);
}

/* The pseudo-inverse of the columns, computed from rows scaled by the root of their weight and columns scaled
 * to length 1. */
bool spread_moves(const struct linear_data *data, double *moves)
{
    size_t n = data->columns;
    double *x = algebra_numbers(data->rows * n);
    double *right = algebra_numbers(n * n);
    double singular[LINEAR_COLUMNS];
    double length[LINEAR_COLUMNS] = {0};
    set_lengths(data, length);
    for (size_t i = 0; i < data->rows; i++)
        for (size_t j = 0; j < n; j++)
            x[i * n + j] = root_of_weight(data, i) * data->x[i * n + j] / length[j];
    bool good = algebra_pseudo_inverse(x, data->rows, n, moves, singular, right);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < data->rows; i++)
            moves[j * data->rows + i] *= root_of_weight(data, i) / length[j];
    free(x);
    free(right);
    return good;
}

static size_t clusters_of(const size_t *cluster, size_t rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++)
        count = cluster[i] + 1 > count ? cluster[i] + 1 : count;
    return count;
}

/* Adds times * score * score' to the covariance. */
static void add_outer(struct spread *spread, const double *score, double times)
{
    for (size_t j = 0; j < spread->columns; j++)
        for (size_t k = 0; k < spread->columns; k++)
            spread->covariance[j * spread->columns + k] += times * score[j] * score[k];
}

/* Solves the n * n system by elimination with pivots, the solution in right; overwrites matrix. False when it
 * is singular. */
static bool solve_small(double *matrix, double *right, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        size_t pivot = j;
        for (size_t i = j + 1; i < n; i++)
            if (fabs(matrix[i * n + j]) > fabs(matrix[pivot * n + j]))
                pivot = i;
        if (!(fabs(matrix[pivot * n + j]) > 1e-9))
            return false;
        for (size_t k = 0; pivot != j && k <= n; k++) {
            double *one = k < n ? &matrix[j * n + k] : &right[j];
            double *other = k < n ? &matrix[pivot * n + k] : &right[pivot];
            double kept = *one;
            *one = *other;
            *other = kept;
        }
        for (size_t i = 0; i < n; i++) {
            double factor = i == j ? 0 : matrix[i * n + j] / matrix[j * n + j];
            for (size_t k = j; k < n; k++)
                matrix[i * n + k] -= factor * matrix[j * n + k];
            right[i] -= factor * right[j];
        }
    }
    for (size_t j = 0; j < n; j++)
        right[j] /= matrix[j * n + j];
    return true;
}

/* Adds times the products of a row's columns, each divided by its column's length. */
static void add_products(const struct linear_data *data, const double *length, size_t row, double times,
                         double *products)
{
    const double *x = data->x + row * data->columns;
    for (size_t j = 0; j < data->columns; j++)
        for (size_t k = 0; k < data->columns; k++)
            products[j * data->columns + k] += times * x[j] / length[j] * x[k] / length[k];
}

/* Adds the square of the change of the coefficients when a cluster is left out, corrected for its leverage
 * (the jackknife; Bell and McCaffrey 2002, CR3). */
static void add_cluster(const struct linear_data *data, const size_t *cluster, size_t which,
                        const struct linear_fit *fit, const double *products, const double *length,
                        struct spread *spread)
{
    size_t n = data->columns;
    double rest[LINEAR_COLUMNS * LINEAR_COLUMNS];
    double score[LINEAR_COLUMNS] = {0};
    memcpy(rest, products, n * n * sizeof *rest);
    for (size_t i = 0; i < data->rows; i++) {
        if (cluster[i] != which)
            continue;
        double off = data->y[i] - linear_predict(fit, data->x + i * n);
        add_products(data, length, i, -1, rest);
        for (size_t j = 0; j < n; j++)
            score[j] += data->x[i * n + j] / length[j] * off;
    }
    if (!solve_small(rest, score, n))
        return;
    for (size_t j = 0; j < n; j++)
        score[j] /= length[j];
    add_outer(spread, score, 1);
}

static void add_clusters(const struct linear_data *data, const size_t *cluster, const struct linear_fit *fit,
                         struct spread *spread)
{
    double length[LINEAR_COLUMNS] = {0};
    size_t count = clusters_of(cluster, data->rows);
    double *products = algebra_numbers(data->columns * data->columns);
    set_lengths(data, length);
    for (size_t i = 0; i < data->rows; i++)
        add_products(data, length, i, 1, products);
    for (size_t which = 0; which < count; which++)
        add_cluster(data, cluster, which, fit, products, length, spread);
    spread->freedom = fmax((double)count - (double)data->columns, 1);
    free(products);
}

static void add_rows(const struct linear_data *data, const double *inverse, const struct linear_fit *fit,
                     struct spread *spread)
{
    double score[LINEAR_COLUMNS];
    for (size_t i = 0; i < data->rows; i++) {
        for (size_t j = 0; j < data->columns; j++)
            score[j] = inverse[j * data->rows + i];
        add_outer(spread, score, data->variance == NULL ? fit->residual * fit->residual : data->variance[i]);
    }
    spread->freedom = (double)(data->rows - data->columns);
}

/* Adds the errors of the part that was subtracted from y, by their effect on the coefficients. */
static void add_taken(const struct linear_data *data, const struct spread_taken *taken, const double *inverse,
                      struct spread *spread)
{
    size_t n = data->columns;
    size_t m = taken->spread->columns;
    double *moves = algebra_numbers(n * m);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < data->rows; i++)
            for (size_t k = 0; k < m; k++)
                moves[j * m + k] += inverse[j * data->rows + i] * taken->rows[i * m + k];
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++)
            for (size_t a = 0; a < m; a++)
                for (size_t b = 0; b < m; b++)
                    spread->covariance[j * n + k] +=
                        moves[j * m + a] * taken->spread->covariance[a * m + b] * moves[k * m + b];
    free(moves);
}

void spread_add_shared(const struct linear_data *data, const double *common, size_t count,
                       struct spread *spread)
{
    size_t n = data->columns;
    double *inverse = algebra_numbers(data->rows * n);
    double *score = algebra_numbers(n);
    bool good = spread_moves(data, inverse);
    for (size_t k = 0; good && k < count; k++) {
        for (size_t j = 0; j < n; j++) {
            score[j] = 0;
            for (size_t i = 0; i < data->rows; i++)
                score[j] += inverse[j * data->rows + i] * common[i * count + k];
        }
        add_outer(spread, score, 1);
    }
    free(inverse);
    free(score);
}

void spread_add_common(const struct linear_data *data, const size_t *group, size_t count, const double *off,
                       struct spread *spread)
{
    double *common = algebra_numbers(data->rows * count + 1);
    for (size_t i = 0; i < data->rows; i++)
        common[i * count + group[i]] = off[i];
    spread_add_shared(data, common, count, spread);
    free(common);
}

/* cluster NULL: the rows' noise is independent. */
static enum status fit_all(const struct linear_data *data, const size_t *cluster,
                           const struct spread_taken *taken, struct linear_fit *fit, struct spread *spread,
                           struct error *error)
{
    const struct linear_options plain = {0};
    enum status status = linear_fit(data, &plain, fit, error);
    if (status != STATUS_OK)
        return status;
    *spread = (struct spread){.columns = data->columns, .rows = data->rows};
    memcpy(spread->value, fit->value, sizeof spread->value);
    double *inverse = algebra_numbers(data->rows * data->columns);
    if (!spread_moves(data, inverse))
        status = error_set(error, STATUS_FAILED, "the least-squares fit did not converge");
    else if (cluster != NULL)
        add_clusters(data, cluster, fit, spread);
    else
        add_rows(data, inverse, fit, spread);
    if (status == STATUS_OK && taken != NULL)
        add_taken(data, taken, inverse, spread);
    free(inverse);
    return status;
}

static void set_intervals(const struct spread *spread, struct linear_fit *fit)
{
    for (size_t j = 0; j < spread->columns; j++) {
        double one[LINEAR_COLUMNS] = {0};
        one[j] = 1;
        fit->interval[j] = spread_sum(spread, one);
    }
}

enum status spread_fit(const struct linear_data *data, const size_t *cluster,
                       const struct spread_taken *taken, struct linear_fit *fit, struct spread *spread,
                       struct error *error)
{
    enum status status = fit_all(data, cluster, taken, fit, spread, error);
    if (status == STATUS_OK)
        set_intervals(spread, fit);
    return status;
}

enum status spread_fit_known(const struct linear_data *data, double freedom, const struct spread_taken *taken,
                             struct linear_fit *fit, struct spread *spread, struct error *error)
{
    enum status status = fit_all(data, NULL, taken, fit, spread, error);
    spread->freedom = freedom;
    if (status == STATUS_OK)
        set_intervals(spread, fit);
    return status;
}

double spread_student(double freedom)
{
    const double z = 1.959963984540054;
    double z3 = z * z * z;
    double z5 = z3 * z * z;
    double z7 = z5 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * pow(freedom, 2)) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * pow(freedom, 3));
}

struct interval spread_sum(const struct spread *spread, const double *weights)
{
    double value = 0;
    double variance = 0;
    for (size_t j = 0; j < spread->columns; j++) {
        value += weights[j] * spread->value[j];
        for (size_t k = 0; k < spread->columns; k++)
            variance += weights[j] * weights[k] * spread->covariance[j * spread->columns + k];
    }
    double half = spread_student(fmax(spread->freedom, 1)) * sqrt(fmax(variance, 0));
    return (struct interval){value, value - half, value + half, spread->rows};
}

void spread_root(const struct spread *spread, double *root)
{
    size_t n = spread->columns;
    memset(root, 0, n * n * sizeof *root);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = spread->covariance[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= root[i * n + k] * root[j * n + k];
            bool exact = !(sum > 1e-12 * spread->covariance[i * n + i]);
            if (i == j)
                root[i * n + i] = exact ? 0 : sqrt(sum);
            else
                root[i * n + j] = root[j * n + j] > 0 ? sum / root[j * n + j] : 0;
        }
}
