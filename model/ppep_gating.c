/* The parts of idle power, from program A on none to all compute units with and without power gating:
 * without, P(n) = n A + C P(CU) + P(NB) + P(base) for n busy units of C; with, P(n) = n A + n P(CU) + [n > 0]
 * P(NB) + P(base). What is gated leaks nothing, so differences of temperature are taken off by the share that
 * is not. */
#include "base/json.h"
#include "model/ppep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4, ROUNDS = 8 };

struct gating_row {
    bool gated;
    double busy, watts, volts, celsius;
};

struct gating_rows {
    struct gating_row *items;
    size_t count;
    double units;
};

static bool number_of(const json_t *point, const char *name, double *number)
{
    const json_t *value = json_object_get(json_object_get(point, "point"), name);
    *number = json_number_value(value);
    return json_is_number(value);
}

/* Power over whatever the repetition was: its loop, or a rest. */
static double watts_of(const struct dataset_row *row)
{
    double passes = json_number_or(row->rep, "iterations", 0);
    return row->energy_j / (passes > 0 ? row->seconds : json_number_or(row->rep, "wall_s", NAN));
}

static void take_rows(const struct dataset *dataset, const struct vf_table *table, struct gating_rows *rows)
{
    for (size_t i = 0, to = 0; i < dataset->count; i = to) {
        const struct dataset_row *first = &dataset->rows[i];
        const json_t *gating = json_object_get(json_object_get(first->point, "point"), "gating");
        struct gating_row row = {.gated = json_is_true(gating)};
        struct vf_state state = {NAN, NAN};
        while (to < dataset->count && dataset->rows[to].point == first->point)
            to++;
        for (size_t each = i; each < to; each++) {
            row.watts += watts_of(&dataset->rows[each]);
            row.celsius += ppep_celsius(dataset, i, each, to);
        }
        if (!json_is_boolean(gating) || !number_of(first->point, "busy", &row.busy))
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

/* What the row draws more for being hotter than the mean of all. */
static double heat_of(const struct ppep_model *model, const struct ppep_gating *gating,
                      const struct gating_row *row, double celsius)
{
    double volts = isfinite(row->volts) ? row->volts : model->idle.volts_middle;
    if (!model->has_idle || !isfinite(row->celsius))
        return 0;
    double more =
        idle_at(&model->idle, volts, row->celsius).value - idle_at(&model->idle, volts, celsius).value;
    return more * (row->gated && gating->known ? ppep_gated_share(gating, row->busy) : 1);
}

static enum status fit_rows(const struct gating_rows *rows, const double *heat, struct linear_fit *fit,
                            struct spread *spread, struct error *error)
{
    static const char *const names[COLUMNS] = {"program A on a unit", "idle compute unit",
                                               "idle north bridge", "idle base"};
    double *x = calloc(rows->count * COLUMNS + 1, sizeof *x);
    double *y = calloc(rows->count + 1, sizeof *y);
    if (x == NULL || y == NULL)
        abort();
    for (size_t i = 0; i < rows->count; i++) {
        const struct gating_row *row = &rows->items[i];
        x[i * COLUMNS] = row->busy;
        x[i * COLUMNS + 1] = row->gated ? row->busy : rows->units;
        x[i * COLUMNS + 2] = row->gated && row->busy == 0 ? 0 : 1;
        x[i * COLUMNS + 3] = 1;
        y[i] = row->watts - heat[i];
    }
    const struct linear_data data = {rows->count, COLUMNS, x, y, NULL, names};
    enum status status = spread_fit(&data, NULL, NULL, fit, spread, error);
    free(x);
    free(y);
    return status;
}

static enum status fit_rounds(const struct ppep_model *model, const struct gating_rows *rows,
                              struct linear_fit *fit, struct ppep_gating *gating, struct error *error)
{
    double *heat = calloc(rows->count + 1, sizeof *heat);
    double celsius = 0;
    struct spread spread;
    enum status status = STATUS_OK;
    if (heat == NULL)
        abort();
    for (size_t i = 0; i < rows->count; i++)
        celsius += rows->items[i].celsius / (double)rows->count;
    for (int round = 0; status == STATUS_OK && round < ROUNDS; round++) {
        for (size_t i = 0; i < rows->count; i++)
            heat[i] = heat_of(model, gating, &rows->items[i], celsius);
        status = fit_rows(rows, heat, fit, &spread, error);
        gating->cu = fit->value[1];
        gating->nb = fit->value[2];
        gating->base = fit->value[3];
        gating->known = status == STATUS_OK;
    }
    gating->celsius = celsius;
    free(heat);
    return status;
}

enum status ppep_fit_gating(const struct dataset *dataset, const struct ppep_model *model, json_t *document,
                            struct ppep_gating *gating, struct error *error)
{
    static const char *const names[COLUMNS] = {"gating.program_a", "idle.cu", "idle.nb", "idle.base"};
    struct gating_rows rows = {.items = calloc(dataset->count + 1, sizeof *rows.items)};
    struct linear_fit fit = {0};
    if (rows.items == NULL)
        abort();
    take_rows(dataset, &model->table, &rows);
    const json_t *machine = json_object_get(document, "machine");
    *gating = (struct ppep_gating){.units = json_number_or(machine, "cu", rows.units)};
    gating->cores = json_number_or(machine, "cores", gating->units);
    rows.units = gating->units;
    enum status status = STATUS_OK;
    if (rows.count > 0) {
        status = fit_rounds(model, &rows, &fit, gating, error);
        if (status != STATUS_OK && error != NULL)
            error_prefix(error, "power gating");
    }
    for (size_t j = 0; gating->known && status == STATUS_OK && j < COLUMNS; j++)
        model_set_coefficient(document, names[j], fit.interval[j], j == 1 ? "W/unit" : "W");
    if (gating->known && isfinite(gating->celsius) && model->has_idle)
        model_note(document, "the parts of idle power are at %.1f C", gating->celsius);
    free(rows.items);
    return status;
}
