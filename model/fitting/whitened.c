#include "model/fitting/whitened.h"

#include "base/memory.h"
#include "model/fitting/algebra.h"
#include "model/fitting/point_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Residuals below this share of the largest reading are rounding errors. */
static const double AS_EXACT = 1e-7;

/* Residuals below this share of the stated noise come from computed numbers. */
static const double OF_STATED = 0.01;

double whitened_whole(const struct fitted_row *row)
{
    return row->whole > 0 ? row->whole : fabs(row->measured);
}

double whitened_product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void whitened_sweep(const struct whitened *bench, size_t count, double *vector, double *parts)
{
    for (size_t k = 0; parts != NULL && k < count; k++)
        parts[k] = 0;
    for (int round = 0; round < 2; round++)
        for (size_t k = 0; k < count; k++) {
            double part = whitened_product(bench->basis + k * bench->n, vector, bench->n);
            for (size_t i = 0; i < bench->n; i++)
                vector[i] -= part * bench->basis[k * bench->n + i];
            if (parts != NULL)
                parts[k] += part;
        }
}

/* Sets the basis of the regressors by the present noise, without columns that are 0 or depend on others, and
 * the residuals orthogonal to it. */
static void set_basis(struct whitened *bench)
{
    const struct fitted *fitted = bench->fitted;
    size_t columns = fitted->spread.columns;
    double *triangle = algebra_numbers(columns * columns);
    size_t from[LINEAR_COLUMNS] = {0};
    bench->p = 0;
    for (size_t j = 0; j < columns; j++) {
        double *column = bench->basis + bench->p * bench->n;
        for (size_t i = 0; i < bench->n; i++)
            column[i] = fitted->rows[i].x[j] / bench->noise[i];
        double before = sqrt(whitened_product(column, column, bench->n));
        whitened_sweep(bench, bench->p, column, triangle + bench->p * columns);
        double after = sqrt(whitened_product(column, column, bench->n));
        if (!(after > 1e-7 * before))
            continue;
        for (size_t i = 0; i < bench->n; i++)
            column[i] /= after;
        triangle[bench->p * columns + bench->p] = after;
        from[bench->p++] = j;
    }
    memset(bench->to, 0, columns * columns * sizeof *bench->to);
    for (size_t k = 0; k < bench->p; k++) /* back substitution of the k-th unit vector */
        for (size_t j = k + 1; j-- > 0;) {
            double sum = j == k;
            for (size_t m = j + 1; m <= k; m++)
                sum -= triangle[m * columns + j] * bench->to[from[m] * columns + k];
            bench->to[from[j] * columns + k] = sum / triangle[j * columns + j];
        }
    for (size_t i = 0; i < bench->n; i++)
        bench->off[i] = (fitted->rows[i].measured - fitted->rows[i].predicted) / bench->noise[i];
    whitened_sweep(bench, bench->p, bench->off, NULL);
    bench->squares = whitened_product(bench->off, bench->off, bench->n);
    free(triangle);
}

static void set_noise(struct whitened *bench, double share)
{
    double largest = 0;
    bool known = true;
    for (size_t i = 0; i < bench->n; i++) {
        largest = fmax(largest, whitened_whole(&bench->fitted->rows[i]));
        known = known && bench->fitted->rows[i].own > 0;
    }
    for (size_t i = 0; i < bench->n; i++) {
        const struct fitted_row *row = &bench->fitted->rows[i];
        bench->noise[i] = known ? hypot(hypot(row->own, share * whitened_whole(row)), AS_EXACT * largest)
                                : fmax(largest, 1e-300);
    }
    bench->rounding = known ? pow(OF_STATED, 2) : pow(AS_EXACT, 2);
    if (share == 0)
        bench->freedom = known ? bench->fitted->rows[0].freedom : 0;
}

double whitened_leverage(const struct whitened *bench, size_t row)
{
    double leverage = 0;
    for (size_t k = 0; k < bench->p; k++)
        leverage += pow(bench->basis[k * bench->n + row], 2);
    return leverage;
}

void whitened_share(struct whitened *benches, size_t count)
{
    size_t most = 1, found = 0;
    for (size_t k = 0; k < count; k++) {
        most += benches[k].n;
        set_noise(&benches[k], 0);
        set_basis(&benches[k]);
        benches[k].own_squares = benches[k].freedom > 0 ? benches[k].squares : NAN;
    }
    struct point_residual *residuals = memory_zeroed(most, sizeof *residuals);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; benches[k].freedom > 0 && i < benches[k].n; i++) {
            const struct fitted_row *row = &benches[k].fitted->rows[i];
            residuals[found++] = (struct point_residual){
                pow(benches[k].off[i] * benches[k].noise[i], 2), pow(benches[k].noise[i], 2),
                pow(whitened_whole(row), 2), fmax(0, 1 - whitened_leverage(&benches[k], i))};
        }
    struct point_error error = point_error_of(residuals, found, 0);
    free(residuals);
    for (size_t k = 0; k < count; k++)
        if (benches[k].freedom > 0) {
            benches[k].share = count == 1 ? error.share : benches[k].share;
            set_noise(&benches[k], error.share);
            set_basis(&benches[k]);
        }
}

static void find_strongest(struct whitened *bench)
{
    const struct fitted *fitted = bench->fitted;
    double most[LINEAR_COLUMNS] = {0};
    for (size_t j = 0; j < fitted->spread.columns; j++)
        for (size_t i = 0; i < bench->n; i++)
            most[j] = hypot(most[j], fitted->spread.value[j] * fitted->rows[i].x[j] / bench->noise[i]);
    for (bench->strong_count = 0; bench->strong_count < BENCH_STRONGEST; bench->strong_count++) {
        size_t best = 0;
        for (size_t j = 1; j < fitted->spread.columns; j++)
            best = most[j] > most[best] ? j : best;
        if (!(most[best] > 0))
            break;
        most[best] = 0;
        bench->strong[bench->strong_count] = best;
    }
}

struct whitened whitened_start(const struct fitted *fitted)
{
    size_t n = fitted->count;
    size_t columns = fitted->spread.columns;
    struct whitened bench = {.fitted = fitted, .n = n, .own_squares = NAN};
    bench.noise = algebra_numbers(n * (columns + 4) + columns * columns + 1);
    bench.off = bench.noise + n;
    bench.extra = bench.off + n;
    bench.basis = bench.extra + n;
    bench.to = bench.basis + n * (columns + 1);
    whitened_share(&bench, 1);
    find_strongest(&bench);
    return bench;
}

void whitened_end(struct whitened *bench)
{
    free(bench->noise);
}
