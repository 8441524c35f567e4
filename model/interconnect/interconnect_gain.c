/* Loops on some of the chip's units, for the model "interconnect". Their power is proportional to the number
 * of units, so that they reveal a meter whose gain changes with the power. Short and long paths do not: such
 * a gain scales all their differences. */
#include "base/memory.h"
#include "model/data/pooled.h"
#include "model/fitting/point_fit.h"
#include "model/interconnect/interconnect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LEAST_POINTS: the fewest that determine a line and its curvature. */
enum { LEAST_POINTS = 4, COLUMNS = 2 };

/* The loops must reach NEAR times the highest power, and begin at FAR times their own highest power. */
static const double NEAR = 0.9, FAR = 0.5;

/* The repetitions of loops that differ from the first only in the number of units, which is put in `share`.
 */
static struct interconnect_samples gather(const struct dataset *dataset)
{
    static const char *const named[] = {INTERCONNECT_UNITS, NULL};
    struct interconnect_samples found = {.items = memory_zeroed(dataset->count + 1, sizeof *found.items)};
    for (size_t i = 0; i < dataset->count; i++) {
        const struct dataset_row *row = &dataset->rows[i];
        const struct result_point *first = found.count > 0 ? found.items[0].point : row->point;
        double watts = row->dynamic_j / row->seconds;
        if (isfinite(watts) && interconnect_is_of_units(row) &&
            pooled_parameter(first, row->point, named, true) == NULL)
            found.items[found.count++] =
                (struct interconnect_sample){.point = row->point,
                                             .share = result_parameter(row->point, INTERCONNECT_UNITS),
                                             .watts = watts,
                                             .static_w = row->static_w,
                                             .celsius = NAN,
                                             .reps = 1};
    }
    return found;
}

/* Whether the loops reach from well below the points' power to it. */
static bool span_power(const struct interconnect_samples *means, double most_w)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < means->count; i++) {
        least = fmin(least, means->items[i].watts);
        most = fmax(most, means->items[i].watts);
    }
    return means->count >= LEAST_POINTS && most >= NEAR * most_w && least <= FAR * most;
}

struct gain_line {
    const struct interconnect_samples *means;
    double *x, *y, *own, *whole; /* one allocation */
    double freedom;
    struct linear_fit fit;
    struct spread spread;
};

static void add_rows(const struct dataset *dataset, const struct gain_line *line, struct fitted *fitted)
{
    struct fitted *own = fitted_begin(fitted, "power of loops on some units", "W", "loops on some units");
    own->spread = line->spread;
    snprintf(own->names[0], LINEAR_NAME_BYTES, "unit");
    snprintf(own->names[1], LINEAR_NAME_BYTES, "running");
    for (size_t i = 0; i < line->means->count; i++) {
        struct fitted_row *row = fitted_add(own);
        fitted_place(row, dataset, line->means->items[i].point);
        memcpy(row->x, line->x + i * COLUMNS, COLUMNS * sizeof *row->x);
        row->measured = line->y[i];
        row->predicted = linear_predict(&line->fit, row->x);
        row->own = sqrt(line->own[i]);
        row->freedom = line->freedom;
        row->whole = line->whole[i];
        row->watts = line->means->items[i].watts + line->means->items[i].static_w;
    }
}

static enum status fit_line(struct gain_line *line, double assumed, struct error *error)
{
    static const char *const names[COLUMNS] = {"unit", "running"};
    const struct linear_data data = {line->means->count, COLUMNS, line->x, line->y, NULL, names};
    const struct point_fit points = {&data, line->own, line->freedom, line->whole};
    struct point_residual *residuals = memory_zeroed(line->means->count, sizeof *residuals);
    struct point_error shift;
    enum status status = point_fit_error(&points, assumed, residuals, &shift, error);
    if (status == STATUS_OK)
        status = point_fit_spread(&points, &shift, NULL, &line->fit, &line->spread, error);
    free(residuals);
    return status;
}

static struct gain_line start_line(const struct interconnect_samples *all, struct interconnect_samples *means)
{
    size_t n = means->count;
    double squared = 0;
    bool stated = false;
    struct gain_line line = {.means = means, .freedom = interconnect_set_variances(all, means, NAN)};
    line.x = memory_zeroed(n * (COLUMNS + 3), sizeof *line.x);
    line.y = line.x + n * COLUMNS;
    line.own = line.y + n;
    line.whole = line.own + n;
    for (size_t i = 0; i < n; i++) {
        line.x[COLUMNS * i] = means->items[i].share;
        line.x[COLUMNS * i + 1] = 1;
        line.y[i] = means->items[i].watts;
        line.own[i] = means->items[i].variance;
        line.whole[i] = means->items[i].watts + means->items[i].static_w;
        squared += pow(line.whole[i], 2) / (double)n;
        stated = stated || dataset_idle_error(means->items[i].point) > 0;
    }
    /* Without a stated error of the idle level, the error of whole points includes it, and is equal at every
     * power. */
    for (size_t i = 0; i < n && !stated; i++)
        line.whole[i] = sqrt(squared);
    return line;
}

enum status interconnect_add_units(const struct dataset *dataset, double most_w, double assumed,
                                   struct fitted *fitted, struct model_result *result, struct error *error)
{
    struct interconnect_samples all = gather(dataset);
    struct interconnect_samples means = interconnect_means(&all);
    enum status status = STATUS_OK;
    if (span_power(&means, most_w)) {
        struct gain_line line = start_line(&all, &means);
        status = fit_line(&line, assumed, error);
        if (status == STATUS_OK)
            add_rows(dataset, &line, fitted);
        free(line.x);
    } else
        model_disbelieve(
            result,
            "do not trust this model's form, which is not tested: no loops on some of the units "
            "reach from low power to the points' %.3g W, so that a gain of the meter that changes "
            "with the power may be in the coefficients; interconnect-2016/units has such loops",
            most_w);
    interconnect_free(&means);
    interconnect_free(&all);
    return status;
}
