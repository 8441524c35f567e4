/* Fits the parts of idle power to program A on none to all compute units, with and without power gating. With
 * n busy units of C, and W for awake power: without gating: P(n) = n A + [n > 0] W + C P(CU) + P(NB) +
 * P(base) with gating:    P(n) = n A + [n > 0] W + n P(CU) + [n > 0] P(NB) + P(base) Gated parts do not leak:
 * temperature differences are corrected only for the share that is not gated. */
#include "base/memory.h"
#include "model/data/model_result.h"
#include "model/data/parameters.h"
#include "model/fitting/algebra.h"
#include "model/fitting/point_fit.h"
#include "model/ppep/ppep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5, ROUNDS = 8 };

struct gating_row {
    bool gated;
    double busy, watts, volts, celsius;
    struct ppep_scatter scatter;
};

struct gating_rows {
    struct gating_row *items;
    size_t count;
    double units;
};

/* The mean power of the repetition: of its loop or, without passes, of its whole time. */
static double watts_of(const struct dataset_row *row)
{
    return row->energy_j / (row->rep->iterations > 0 ? row->seconds : row->rep->wall_s);
}

static void take_rows(const struct dataset *dataset, const struct vf_table *table, struct gating_rows *rows)
{
    for (size_t i = 0, to; i < dataset->count; i = to) {
        const struct dataset_row *first = &dataset->rows[i];
        struct gating_row row = {0};
        const struct value *gating = value_get(&first->point->parameters, "gating");
        struct vf_state state = {NAN, NAN};
        double means[2] = {0};
        to = dataset_point_end(dataset, i);
        for (size_t each = i; each < to; each++) {
            double watts = watts_of(&dataset->rows[each]);
            double celsius = ppep_celsius(dataset, i, each, to);
            row.watts += watts;
            row.celsius += celsius;
            ppep_add_scatter(&row.scatter, watts, celsius, means);
        }
        row.busy = result_parameter(first->point, "busy");
        row.gated = gating->on;
        if (gating->kind != VALUE_FLAG || isnan(row.busy))
            continue;
        row.watts /= (double)(to - i);
        row.celsius /= (double)(to - i);
        vf_of_row(table, first, &state);
        row.volts = state.volts;
        if (isfinite(row.watts))
            rows->items[rows->count++] = row;
        rows->units = fmax(rows->units, row.busy);
    }
}

double ppep_gated_share(const struct ppep_gating *gating, double busy_units)
{
    double whole = gating->units * gating->cu + gating->nb + gating->base;
    double on = busy_units * gating->cu + (busy_units > 0 ? gating->nb : 0) + gating->base;
    return on / whole;
}

/* The share of the chip's idle power that is not gated in this row. */
static double share_of(const struct ppep_gating *gating, const struct gating_row *row)
{
    return row->gated && gating->known ? ppep_gated_share(gating, row->busy) : 1;
}

static double volts_of(const struct ppep_model *model, const struct gating_row *row)
{
    return isfinite(row->volts) ? row->volts : model->idle.volts_middle;
}

/* The data of a fit. */
struct gating_data {
    size_t columns; /* COLUMNS, or one fewer if the points do not determine awake power */
    const struct gating_rows *rows;
    const struct ppep_model *model;
    double celsius;              /* the temperature of the parts: the mean over all rows */
    double *numbers;             /* owned; the following point into it */
    double *x, *y, *own, *whole; /* as in linear_data and point_fit */
    double *heat; /* the idle model's columns for the excess of the row's temperature over the mean */
    double own_freedom;
};

static void start(const struct ppep_model *model, const struct gating_rows *rows, size_t columns,
                  struct gating_data *data)
{
    size_t n = rows->count;
    *data = (struct gating_data){.columns = columns, .rows = rows, .model = model};
    data->numbers = algebra_numbers(n * (COLUMNS + 3 + LINEAR_COLUMNS) + 1);
    data->x = data->numbers;
    data->y = data->x + n * COLUMNS;
    data->own = data->y + n;
    data->whole = data->own + n;
    data->heat = data->whole + n;
    for (size_t i = 0; i < n; i++) {
        const struct gating_row *row = &rows->items[i];
        double *x = data->x + i * data->columns;
        x[0] = row->busy;
        x[1] = row->gated ? row->busy : rows->units;
        x[2] = row->gated && row->busy == 0 ? 0 : 1;
        x[3] = 1;
        if (data->columns == COLUMNS)
            x[4] = row->busy > 0;
        data->whole[i] = row->watts;
        data->celsius += row->celsius / (double)n;
        data->own_freedom += row->scatter.reps - 1;
    }
}

/* Sets power corrected to the mean temperature, by the present parts of idle power, and its noise. */
static void set_heat(struct gating_data *data, const struct ppep_gating *gating)
{
    const struct ppep_model *model = data->model;
    double squares = 0;
    for (size_t i = 0; i < data->rows->count; i++) {
        const struct gating_row *row = &data->rows->items[i];
        double volts = volts_of(model, row);
        double share = share_of(gating, row);
        double slope = share * ppep_idle_slope(model, volts, row->celsius);
        squares += ppep_scatter_at(&row->scatter, slope);
        data->y[i] = row->watts;
        if (!model->has_idle || !isfinite(row->celsius))
            continue;
        double here[LINEAR_COLUMNS];
        double mean[LINEAR_COLUMNS];
        size_t n = idle_columns(&model->idle, volts, row->celsius, here);
        idle_columns(&model->idle, volts, data->celsius, mean);
        for (size_t j = 0; j < n; j++)
            data->heat[i * n + j] = share * (here[j] - mean[j]);
        data->y[i] -= share * idle_rise(&model->idle, volts, data->celsius, row->celsius).value;
    }
    double variance = data->own_freedom > 0 ? squares / data->own_freedom : 0;
    for (size_t i = 0; i < data->rows->count; i++)
        data->own[i] = variance / data->rows->items[i].scatter.reps;
}

/* Alternates between the correction for temperature and the parts. residuals NULL: uses the known shift; else
 * estimates it from the rows. */
static enum status fit_rounds(struct gating_data *data, struct point_error *shift, double assumed,
                              struct point_residual *residuals, struct linear_fit *fitted,
                              struct ppep_gating *gating, struct error *error)
{
    static const char *const names[COLUMNS] = {"program A on a unit", "idle compute unit",
                                               "idle north bridge", "idle base", "any program"};
    const struct linear_data linear = {data->rows->count, data->columns, data->x, data->y, NULL, names};
    const struct spread_taken taken = {&data->model->idle.spread, data->heat};
    struct spread spread;
    enum status status = STATUS_OK;
    for (int round = 0; status == STATUS_OK && round < ROUNDS; round++) {
        set_heat(data, gating);
        struct point_fit fit = {&linear, data->own, data->own_freedom, data->whole};
        status = point_fit_trim(&fit, error);
        if (status == STATUS_OK && residuals != NULL)
            status = point_fit_error(&fit, assumed, residuals, shift, error);
        if (status == STATUS_OK)
            status =
                point_fit_spread(&fit, shift, data->model->has_idle ? &taken : NULL, fitted, &spread, error);
        gating->cu = fitted->value[1];
        gating->nb = fitted->value[2];
        gating->base = fitted->value[3];
        gating->known = status == STATUS_OK;
    }
    gating->celsius = data->celsius;
    return status;
}

static enum status fit_gating(const struct dataset *dataset, const struct ppep_model *model, double units,
                              struct point_error *shift, double assumed, struct point_residual *residuals,
                              size_t *found, struct linear_fit *fit, struct ppep_gating *gating,
                              struct error *error)
{
    struct gating_rows rows = {.items = memory_zeroed(dataset->count + 1, sizeof *rows.items)};
    struct gating_data data;
    enum status status = STATUS_OK;
    take_rows(dataset, &model->table, &rows);
    rows.units = isfinite(units) ? units : rows.units;
    gating->units = rows.units;
    const struct ppep_gating empty = *gating;
    const struct point_error known = *shift;
    for (size_t columns = COLUMNS; columns >= COLUMNS - 1; columns--) {
        *gating = empty;
        *shift = known;
        start(model, &rows, columns, &data);
        if (rows.count > 0)
            status = fit_rounds(&data, shift, assumed, residuals, fit, gating, error);
        free(data.numbers);
        if (status != STATUS_USAGE)
            break;
    }
    if (status != STATUS_OK && error != NULL)
        error_prefix(error, "power gating");
    if (found != NULL)
        *found = status == STATUS_OK ? rows.count : 0;
    free(rows.items);
    return status;
}

enum status ppep_gating_residuals(const struct dataset *dataset, const struct ppep_model *model,
                                  const struct model_result *result, double assumed,
                                  struct point_residual *residuals, size_t *found, struct error *error)
{
    struct point_error shift = {0};
    struct linear_fit fit = {0};
    struct ppep_gating gating = {0};
    return fit_gating(dataset, model, result->machine.cu, &shift, assumed, residuals, found, &fit, &gating,
                      error);
}

enum status ppep_fit_gating(const struct dataset *dataset, const struct ppep_model *model,
                            const struct point_error *shift, struct model_result *result,
                            struct ppep_gating *gating, struct error *error)
{
    static const char *const names[COLUMNS] = {"gating.program_a", "idle.cu", "idle.nb", "idle.base",
                                               "gating.awake"};
    struct linear_fit fit = {0};
    struct point_error known = *shift;
    *gating = (struct ppep_gating){0};
    enum status status =
        fit_gating(dataset, model, result->machine.cu, &known, 0, NULL, NULL, &fit, gating, error);
    gating->cores = result->machine.cores;
    if (isnan(gating->cores))
        gating->cores = gating->units;
    for (size_t j = 0; gating->known && status == STATUS_OK && j < fit.columns; j++)
        model_set_coefficient(result, names[j], fit.interval[j], j == 1 ? "W/unit" : "W");
    if (gating->known && isfinite(gating->celsius) && model->has_idle)
        model_note(result, "the parts of idle power are at %.1f C", gating->celsius);
    return status;
}
