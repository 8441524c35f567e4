#include "model/resample.h"

#include "base/random.h"
#include "model/algebra.h"
#include "model/solve.h"

#include <math.h>
#include <stdlib.h>

static const double MAD_TO_SD = 1.4826;

/* All of one bootstrap: rows are scaled by the root of their weight. */
struct bootstrap {
    size_t rows, columns;
    const struct linear_options *options;
    double *x, *fitted, *residual, *y;
    double *inverse; /* columns * rows */
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Noise of y about x b; of most rows only, where the fit is robust. */
static double noise(const struct bootstrap *boot, const double *y, const double *b)
{
    double *off = algebra_numbers(boot->rows);
    double squares = 0;
    double freedom = (double)(boot->rows - boot->columns);
    algebra_multiply(boot->x, boot->rows, boot->columns, b, off);
    for (size_t i = 0; i < boot->rows; i++) {
        off[i] = fabs(y[i] - off[i]);
        squares += off[i] * off[i];
    }
    double sd = boot->options->robust
                    ? MAD_TO_SD * stats_median(off, boot->rows) * sqrt((double)boot->rows / freedom)
                    : sqrt(squares / freedom);
    free(off);
    return sd;
}

/* A row's residual is smaller than its noise by what the row itself pulled the fit its way. */
static void set_residuals(struct bootstrap *boot, const double *y)
{
    double mean = 0;
    for (size_t i = 0; i < boot->rows; i++) {
        double leverage = 0;
        for (size_t j = 0; j < boot->columns; j++)
            leverage += boot->x[i * boot->columns + j] * boot->inverse[j * boot->rows + i];
        boot->residual[i] = (y[i] - boot->fitted[i]) / sqrt(fmax(1 - leverage, 1e-3));
        mean += boot->residual[i] / (double)boot->rows;
    }
    /* Rows far off, which a robust fit gives up, would move the mean of all. */
    for (size_t i = 0; !boot->options->robust && i < boot->rows; i++)
        boot->residual[i] -= mean;
}

static bool solve_again(const struct bootstrap *boot, double *b)
{
    const struct solve_problem problem = {boot->rows, boot->columns, boot->x, boot->y};
    if (boot->options->robust || boot->options->non_negative)
        return solve(&problem, boot->options, b, NULL);
    algebra_multiply(boot->inverse, boot->columns, boot->rows, boot->y, b);
    return true;
}

/* Deviations of the function in units of the fit's own noise, sorted; returns how many. */
static size_t draw(struct bootstrap *boot, double sd, double value, linear_function *function,
                   const void *context, double *deviations)
{
    struct random random = random_start(boot->rows, "linear model");
    double b[LINEAR_COLUMNS];
    size_t count = 0;
    for (unsigned i = 0; i < boot->options->resamples; i++) {
        for (size_t j = 0; j < boot->rows; j++)
            boot->y[j] = boot->fitted[j] + boot->residual[random_below(&random, (uint32_t)boot->rows)];
        if (!solve_again(boot, b))
            continue;
        double own = noise(boot, boot->y, b);
        if (own > 0)
            deviations[count++] = (function(b, context) - value) * sd / own;
    }
    qsort(deviations, count, sizeof *deviations, by_value);
    return count;
}

static void set_up(struct bootstrap *boot, const struct linear_data *data, const struct linear_fit *fit,
                   double *y)
{
    for (size_t i = 0; i < data->rows; i++) {
        double root = data->variance == NULL ? 1 : 1 / sqrt(data->variance[i]);
        y[i] = root * data->y[i];
        for (size_t j = 0; j < data->columns; j++)
            boot->x[i * data->columns + j] = root * data->x[i * data->columns + j];
    }
    algebra_multiply(boot->x, boot->rows, boot->columns, fit->value, boot->fitted);
}

void resample_interval(const struct linear_data *data, const struct linear_options *options,
                       const struct linear_fit *fit, linear_function *function, const void *context,
                       struct interval *interval)
{
    size_t cells = data->rows * data->columns;
    double singular[LINEAR_COLUMNS];
    double *numbers = algebra_numbers(2 * cells + 4 * data->rows + data->columns * data->columns);
    double *deviations = algebra_numbers(options->resamples);
    struct bootstrap boot = {.rows = data->rows, .columns = data->columns, .options = options};
    boot.x = numbers;
    boot.inverse = boot.x + cells;
    boot.fitted = boot.inverse + cells;
    boot.residual = boot.fitted + data->rows;
    boot.y = boot.residual + data->rows;
    double *y = boot.y + data->rows;
    set_up(&boot, data, fit, y);
    if (algebra_pseudo_inverse(boot.x, boot.rows, boot.columns, boot.inverse, singular, y + data->rows)) {
        set_residuals(&boot, y);
        size_t count =
            draw(&boot, noise(&boot, y, fit->value), interval->value, function, context, deviations);
        if (count > 0) {
            interval->low = interval->value - fmax(0, deviations[count - 1 - count / 40]);
            interval->high = interval->value - fmin(0, deviations[count / 40]);
        }
        if (options->non_negative && interval->value >= 0)
            interval->low = fmax(0, interval->low);
    }
    free(numbers);
    free(deviations);
}
