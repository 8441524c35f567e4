#include "model/design/exchange.h"

#include "model/fitting/algebra.h"
#include "model/fitting/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4000, HALVINGS = 40 };
static const double CLOSE_ENOUGH = 1e-4; /* of the logarithm of the determinant, per column */
static const double COLLINEAR = 1e-3;    /* of the largest singular value: condition 1000, as linear_fit */
static const double NAMED = 0.1;         /* weights below this share of the largest are rounding */
static const double GOLDEN = 0.6180339887498949;

/* The columns' lengths over all candidates: scales that keep the algebra well conditioned. */
static void set_lengths(const struct exchange *exchange, double *length)
{
    size_t n = exchange->columns;
    memset(length, 0, n * sizeof *length);
    for (size_t i = 0; i < exchange->first[exchange->count] * n; i++)
        length[i % n] = hypot(length[i % n], exchange->rows[i]);
}

static double error_of(const struct exchange *exchange, size_t candidate)
{
    return exchange->error == NULL ? 0 : exchange->error[candidate];
}

static bool is_out(const struct exchange *exchange, size_t candidate)
{
    return exchange->out != NULL && exchange->out[candidate];
}

static void add_information(const struct exchange *exchange, size_t candidate, const double *length,
                            double weight, double *matrix)
{
    size_t n = exchange->columns;
    for (size_t r = exchange->first[candidate]; r < exchange->first[candidate + 1]; r++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                matrix[i * n + j] +=
                    weight * exchange->rows[r * n + i] / length[i] * exchange->rows[r * n + j] / length[j];
}

static void set_information(const struct exchange *exchange, const double *seconds, const double *length,
                            double *matrix)
{
    memset(matrix, 0, exchange->columns * exchange->columns * sizeof *matrix);
    for (size_t i = 0; i < exchange->count; i++)
        if (seconds[i] > 0)
            add_information(exchange, i, length, seconds[i] / (1 + seconds[i] * error_of(exchange, i)),
                            matrix);
}

/* Cholesky's factor in the lower triangle of factor; the logarithm of the determinant, -INFINITY: singular.
 */
static double factorise(const double *matrix, size_t n, double *factor)
{
    double logarithm = 0;
    memcpy(factor, matrix, n * n * sizeof *factor);
    for (size_t j = 0; j < n; j++) {
        double own = factor[j * n + j];
        for (size_t k = 0; k < j; k++)
            own -= factor[j * n + k] * factor[j * n + k];
        if (!(own > 1e-13 * matrix[j * n + j]))
            return -INFINITY;
        factor[j * n + j] = sqrt(own);
        logarithm += log(own);
        for (size_t i = j + 1; i < n; i++) {
            for (size_t k = 0; k < j; k++)
                factor[i * n + j] -= factor[i * n + k] * factor[j * n + k];
            factor[i * n + j] /= factor[j * n + j];
        }
    }
    return logarithm;
}

/* The length of L^-1 x, squared: x' M^-1 x. */
static double variance_along(const double *factor, size_t n, const double *x, const double *length)
{
    double solved[LINEAR_COLUMNS];
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        solved[i] = x[i] / length[i];
        for (size_t k = 0; k < i; k++)
            solved[i] -= factor[i * n + k] * solved[k];
        solved[i] /= factor[i * n + i];
        sum += solved[i] * solved[i];
    }
    return sum;
}

/* How fast the logarithm of the determinant grows with the candidate's time. */
static double growth_of(const struct exchange *exchange, size_t candidate, double seconds,
                        const double *factor, const double *length)
{
    size_t n = exchange->columns;
    double sum = 0;
    for (size_t r = exchange->first[candidate]; r < exchange->first[candidate + 1]; r++)
        sum += variance_along(factor, n, exchange->rows + r * n, length);
    return sum / pow(1 + seconds * error_of(exchange, candidate), 2);
}

/* Numbers of one search. */
struct search {
    const struct exchange *exchange;
    double length[LINEAR_COLUMNS];
    double matrix[LINEAR_COLUMNS * LINEAR_COLUMNS], factor[LINEAR_COLUMNS * LINEAR_COLUMNS];
};

static double logarithm_at(struct search *search, const double *seconds)
{
    set_information(search->exchange, seconds, search->length, search->matrix);
    return factorise(search->matrix, search->exchange->columns, search->factor);
}

static double moved_logarithm(struct search *search, double *seconds, size_t from, size_t to, double moved)
{
    double before[2] = {seconds[from], seconds[to]};
    seconds[from] -= moved;
    seconds[to] += moved;
    double logarithm = logarithm_at(search, seconds);
    seconds[from] = before[0];
    seconds[to] = before[1];
    return logarithm;
}

/* Moves the best amount of time, which is one maximum as the logarithm is concave. */
static void move(struct search *search, double *seconds, size_t from, size_t to)
{
    double low = 0;
    double high = seconds[from];
    for (int i = 0; i < HALVINGS; i++) {
        double left = high - GOLDEN * (high - low);
        double right = low + GOLDEN * (high - low);
        if (moved_logarithm(search, seconds, from, to, left) <
            moved_logarithm(search, seconds, from, to, right))
            low = left;
        else
            high = right;
    }
    bool all = moved_logarithm(search, seconds, from, to, seconds[from]) >=
               moved_logarithm(search, seconds, from, to, low);
    double moved = all ? seconds[from] : low;
    seconds[to] += moved;
    seconds[from] = all ? 0 : seconds[from] - moved;
}

double exchange_choose(const struct exchange *exchange, double total, double *seconds)
{
    struct search search = {.exchange = exchange};
    double open = 0;
    double gap = NAN;
    set_lengths(exchange, search.length);
    for (size_t i = 0; i < exchange->count; i++)
        open += !is_out(exchange, i);
    for (size_t i = 0; i < exchange->count; i++)
        seconds[i] = is_out(exchange, i) ? 0 : total / open;
    for (int step = 0; step < STEPS; step++) {
        size_t best = 0, worst = 0;
        double most = -INFINITY, least = INFINITY, mean = 0;
        if (!(logarithm_at(&search, seconds) > -INFINITY))
            return NAN;
        for (size_t i = 0; i < exchange->count; i++) {
            if (is_out(exchange, i))
                continue;
            double growth = growth_of(exchange, i, seconds[i], search.factor, search.length);
            mean += seconds[i] / total * growth;
            if (growth > most)
                most = growth, best = i;
            if (seconds[i] > 0 && growth < least)
                least = growth, worst = i;
        }
        gap = total * (most - mean) / (double)exchange->columns;
        if (gap <= CLOSE_ENOUGH || best == worst)
            break;
        move(&search, seconds, worst, best);
    }
    return gap;
}

bool exchange_covariance(const struct exchange *exchange, const double *seconds, double *covariance)
{
    size_t n = exchange->columns;
    struct search search = {.exchange = exchange};
    double inverse[LINEAR_COLUMNS * LINEAR_COLUMNS] = {0};
    set_lengths(exchange, search.length);
    if (!(logarithm_at(&search, seconds) > -INFINITY))
        return false;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double value = i == j;
            for (size_t k = j; k < i; k++)
                value -= search.factor[i * n + k] * inverse[k * n + j];
            inverse[i * n + j] = value / search.factor[i * n + i];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = i > j ? i : j; k < n; k++)
                sum += inverse[k * n + i] * inverse[k * n + j];
            covariance[i * n + j] = sum / search.length[i] / search.length[j];
        }
    return true;
}

void exchange_inflation(const struct exchange *exchange, const double *seconds, const double *covariance,
                        double *inflation)
{
    size_t n = exchange->columns;
    double one[LINEAR_COLUMNS] = {0};
    double matrix[LINEAR_COLUMNS * LINEAR_COLUMNS];
    for (size_t j = 0; j < n; j++)
        one[j] = 1;
    set_information(exchange, seconds, one, matrix);
    for (size_t j = 0; j < n; j++)
        inflation[j] = covariance[j * n + j] * matrix[j * n + j];
}

bool exchange_unknown(const struct exchange *exchange, double *weights)
{
    size_t n = exchange->columns;
    size_t rows = exchange->first[exchange->count];
    double length[LINEAR_COLUMNS], singular[LINEAR_COLUMNS], largest = 0;
    double *x = algebra_numbers((rows + n) * n);
    double *inverse = algebra_numbers((rows + n) * n);
    double *right = algebra_numbers(n * n);
    set_lengths(exchange, length);
    for (size_t i = 0; i < rows * n; i++)
        x[i] = length[i % n] > 0 ? exchange->rows[i] / length[i % n] : 0;
    /* So that no singular value is 0. */
    for (size_t j = 0; j < n; j++)
        x[(rows + j) * n + j] = 1e-9;
    bool good = algebra_pseudo_inverse(x, rows + n, n, inverse, singular, right);
    const double *direction = right + (n - 1) * n;
    bool unknown = good && singular[n - 1] < COLLINEAR * singular[0];
    for (size_t j = 0; j < n; j++)
        largest = fabs(direction[j]) > fabs(largest) * (1 + 1e-9) ? direction[j] : largest;
    for (size_t j = 0; unknown && j < n; j++)
        weights[j] = fabs(direction[j]) < NAMED * fabs(largest) ? 0 : direction[j] / largest;
    free(right);
    free(inverse);
    free(x);
    return unknown;
}
