#include "model/design/exchange.h"

#include "model/fitting/algebra.h"
#include "model/fitting/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROWTHS = 1000, STEPS = 3000, HALVINGS = 24 };
static const double CLOSE_ENOUGH = 5e-4; /* of the logarithm of the determinant, per column */
static const double COLLINEAR = 1e-3;    /* of the largest singular value: condition 1000, as linear_fit */
static const double NAMED = 0.1;         /* weights below this share of the largest are rounding */
static const double GOLDEN = 0.6180339887498949;

/* The columns' lengths over all candidates. Columns are divided by them, for well-conditioned algebra. */
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

/* Puts the Cholesky factor into the lower triangle of factor. Returns the logarithm of the determinant;
 * -INFINITY: the matrix is singular. */
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

/* x' M^-1 x: the squared length of L^-1 x, where L is the factor of M. */
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

/* The logarithm of the determinant after a move of time. rest: the information of the other candidates. */
static double moved_logarithm(struct search *search, const double *rest, const double *seconds, size_t from,
                              size_t to, double moved)
{
    const struct exchange *exchange = search->exchange;
    const double of_from = seconds[from] - moved, of_to = seconds[to] + moved;
    size_t n = exchange->columns;
    memcpy(search->matrix, rest, n * n * sizeof *rest);
    add_information(exchange, from, search->length, of_from / (1 + of_from * error_of(exchange, from)),
                    search->matrix);
    add_information(exchange, to, search->length, of_to / (1 + of_to * error_of(exchange, to)),
                    search->matrix);
    return factorise(search->matrix, n, search->factor);
}

/* Moves the best amount of time, by golden section: the logarithm is concave and has one maximum. */
static void move(struct search *search, double *seconds, size_t from, size_t to)
{
    double rest[LINEAR_COLUMNS * LINEAR_COLUMNS];
    double low = 0;
    double high = seconds[from];
    double of_to = seconds[to];
    seconds[from] = seconds[to] = 0;
    set_information(search->exchange, seconds, search->length, rest);
    seconds[from] = high;
    seconds[to] = of_to;
    for (int i = 0; i < HALVINGS; i++) {
        double left = high - GOLDEN * (high - low);
        double right = low + GOLDEN * (high - low);
        if (moved_logarithm(search, rest, seconds, from, to, left) <
            moved_logarithm(search, rest, seconds, from, to, right))
            low = left;
        else
            high = right;
    }
    bool all = moved_logarithm(search, rest, seconds, from, to, seconds[from]) >=
               moved_logarithm(search, rest, seconds, from, to, low);
    double moved = all ? seconds[from] : low;
    seconds[to] += moved;
    seconds[from] = all ? 0 : seconds[from] - moved;
}

struct growths {
    size_t best,
        worst; /* candidates: the one that gains most by time, and the one with time that gains least */
    double mean, gap; /* the mean weighted by time; the distance from the optimum (exchange_choose) */
};

/* growth[count]. False: the seconds do not determine all columns. */
static bool set_growths(struct search *search, const double *seconds, double total, double *growth,
                        struct growths *found)
{
    const struct exchange *exchange = search->exchange;
    double most = -INFINITY;
    double least = INFINITY;
    *found = (struct growths){0};
    set_information(exchange, seconds, search->length, search->matrix);
    if (!(factorise(search->matrix, exchange->columns, search->factor) > -INFINITY))
        return false;
    for (size_t i = 0; i < exchange->count; i++) {
        if (is_out(exchange, i))
            continue;
        growth[i] = growth_of(exchange, i, seconds[i], search->factor, search->length);
        found->mean += seconds[i] / total * growth[i];
        if (growth[i] > most) {
            most = growth[i];
            found->best = i;
        }
        if (seconds[i] > 0 && growth[i] < least) {
            least = growth[i];
            found->worst = i;
        }
    }
    found->gap = total * (most - found->mean) / (double)exchange->columns;
    return true;
}

double exchange_choose(const struct exchange *exchange, double total, double *seconds)
{
    struct search search = {.exchange = exchange};
    struct growths found = {.gap = NAN};
    double *growth = algebra_numbers(exchange->count + 1);
    double open = 0;
    bool known = true;
    set_lengths(exchange, search.length);
    for (size_t i = 0; i < exchange->count; i++)
        open += !is_out(exchange, i);
    for (size_t i = 0; i < exchange->count; i++)
        seconds[i] = is_out(exchange, i) ? 0 : total / open;
    /* First changes all times at once (Titterington 1976), which comes close quickly; then exchanges, which
     * reach the optimum. */
    for (int step = 0; step < GROWTHS + STEPS; step++) {
        known = set_growths(&search, seconds, total, growth, &found);
        if (!known || found.gap <= CLOSE_ENOUGH)
            break;
        for (size_t i = 0; step < GROWTHS && i < exchange->count; i++)
            seconds[i] *= is_out(exchange, i) ? 0 : growth[i] / found.mean;
        if (step >= GROWTHS && found.best != found.worst)
            move(&search, seconds, found.worst, found.best);
    }
    free(growth);
    return known ? found.gap : NAN;
}

bool exchange_covariance(const struct exchange *exchange, const double *seconds, double *covariance)
{
    size_t n = exchange->columns;
    struct search search = {.exchange = exchange};
    double inverse[LINEAR_COLUMNS * LINEAR_COLUMNS] = {0};
    set_lengths(exchange, search.length);
    set_information(exchange, seconds, search.length, search.matrix);
    if (!(factorise(search.matrix, n, search.factor) > -INFINITY))
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
    /* Extra rows keep all singular values above 0. */
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
