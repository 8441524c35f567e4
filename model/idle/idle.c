/* The model "idle": a chip's idle power by temperature and voltage. */
#include "model/idle/idle.h"

#include "base/memory.h"
#include "model/chart.h"
#include "model/model_json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct model_setting_row rows[] = {
    {"degree", "of the polynomial in the temperature (1 with several voltages, 3 with one)", 0},
    {"window_s", "seconds of cooling per sample; several updates of the meter", 2},
    POINT_ERROR_SETTING,
    VF_SETTING_ROWS,
    {NULL, NULL, NAN}};

static void set_across_volts(struct model_result *result, const struct idle_fit *fit)
{
    static const char *const units[2][4] = {{"W", "W/V", "W/V^2", "W/V^3"},
                                            {"W/K", "W/K/V", "W/K/V^2", "W/K/V^3"}};
    for (int slope = 1; slope >= 0; slope--)
        for (size_t power = 0; power <= fit->volts_degree; power++) {
            char name[32];
            snprintf(name, sizeof name, "W%d.V%zu", slope, power);
            model_set_coefficient(result, name, idle_coefficient(fit, slope, power), units[slope][power]);
        }
}

/* W1 and W0 at each measured voltage, for comparison with a data sheet. */
static void set_at_each(struct model_result *result, const struct idle_fit *fit,
                        const struct idle_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        char name[48];
        double volts = samples->items[i].volts;
        struct interval known;
        snprintf(name, sizeof name, "W1 at %.4g V", volts);
        if (model_coefficient(result, name, &known))
            continue;
        model_set_coefficient(result, name, idle_weight(fit, true, volts), "W/K");
        snprintf(name, sizeof name, "W0 at %.4g V", volts);
        model_set_coefficient(result, name, idle_weight(fit, false, volts), "W");
    }
}

static void set_at_one(struct model_result *result, const struct idle_fit *fit)
{
    static const char *const units[] = {"W", "W/C", "W/C^2", "W/C^3"};
    for (size_t power = 0; power <= fit->celsius_degree; power++) {
        char name[16];
        snprintf(name, sizeof name, "T%zu", power);
        model_set_coefficient(result, name, idle_coefficient(fit, false, power), units[power]);
    }
}

/* ---- errors ---- */

static struct idle_error error_of_point(const struct idle_fit *fit, const struct idle_samples *samples,
                                        size_t point)
{
    double sum = 0;
    double volts = NAN;
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct idle_sample *each = &samples->items[i];
        if (each->point != point || each->watts == 0)
            continue;
        sum += fabs(idle_at(fit, each->volts, each->celsius).value - each->watts) / fabs(each->watts);
        volts = each->volts;
        count++;
    }
    return (struct idle_error){volts, sum / (double)count, count};
}

/* The samples whose key (recipe or point) is another one. Free with idle_free. */
static struct idle_samples without(const struct idle_samples *samples, bool by_recipe, size_t key)
{
    struct idle_samples rest = {.points = samples->points};
    rest.items = memory_zeroed(samples->count + 1, sizeof *rest.items);
    for (size_t i = 0; i < samples->count; i++) {
        const struct idle_sample *each = &samples->items[i];
        if ((by_recipe ? each->group : each->point) != key)
            rest.items[rest.count++] = *each;
    }
    return rest;
}

/* The number of keys: the highest plus 1. */
static size_t keys_of(const struct idle_samples *samples, bool by_recipe)
{
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++) {
        size_t key = by_recipe ? samples->items[i].group : samples->items[i].point;
        count = key + 1 > count ? key + 1 : count;
    }
    return count;
}

static bool has_several_recipes(const struct idle_samples *samples)
{
    for (size_t i = 1; i < samples->count; i++)
        if (samples->items[i].group != samples->items[0].group)
            return true;
    return false;
}

/* Leaves out each recipe in turn or, if there is only one, each cooling. Those that the rest cannot predict
 * are not validated. */
static void validate(const struct idle_samples *samples, const struct idle_fit *whole,
                     struct model_result *result)
{
    bool by_recipe = has_several_recipes(samples);
    double sum = 0;
    double worst = 0;
    size_t count = 0;
    size_t groups = 0;
    for (size_t key = 0; key < keys_of(samples, by_recipe); key++) {
        struct idle_samples rest = without(samples, by_recipe, key);
        struct idle_fit fit;
        bool good = rest.count < samples->count &&
                    idle_fit(&rest, whole->celsius_degree, 0, &fit, NULL) == STATUS_OK &&
                    fit.volts_degree == whole->volts_degree;
        groups += good;
        for (size_t i = 0; good && i < samples->count; i++) {
            const struct idle_sample *each = &samples->items[i];
            if ((by_recipe ? each->group : each->point) != key || each->watts == 0)
                continue;
            double off =
                fabs(idle_at(&fit, each->volts, each->celsius).value - each->watts) / fabs(each->watts);
            sum += off;
            worst = fmax(worst, off);
            count++;
        }
        idle_free(&rest);
    }
    if (count == 0) {
        model_note(result, "not validated: without one of its coolings, the data cannot determine the model");
        return;
    }
    result->validation = (struct model_validation){.leaves_out = by_recipe ? "recipes" : "coolings",
                                                   .groups = groups,
                                                   .rows = count,
                                                   .mean_absolute = sum / (double)count,
                                                   .worst = worst,
                                                   .whole_mean_absolute = NAN,
                                                   .dynamic_mean_absolute = NAN};
    model_states(result, "validation");
}

/* Draws the windows of the point that begins at index `from`: at most MOST, so that they can be
 * distinguished. */
static void draw_measured(struct chart *chart, const struct idle_samples *samples, size_t from,
                          const char *name)
{
    enum { MOST = 40 };
    size_t to = from;
    while (to < samples->count && samples->items[to].point == samples->items[from].point)
        to++;
    size_t step = (to - from) / MOST + 1;
    for (size_t i = from; i < to; i += step) {
        double watts = samples->items[i].watts;
        chart_sample(chart, name, samples->items[i].celsius, interval_exact(watts));
    }
}

/* Whether no sample before has the same voltage. */
static bool is_first_of(const struct idle_samples *samples, size_t which)
{
    for (size_t i = 0; i < which; i++)
        if (samples->items[i].volts == samples->items[which].volts)
            return false;
    return true;
}

/* The paper's figure: measured power over temperature at each voltage, and the fit. */
static void draw(struct model_result *result, const struct idle_fit *fit, const struct idle_samples *samples)
{
    enum { STEPS = 20 };
    struct chart *chart = model_chart(result, CHART_POINTS, "Idle power", "measured and fitted",
                                      "Temperature (°C)", "Power (W)");
    for (size_t i = 0; i < samples->count; i++) {
        char name[32];
        char curve[48];
        const struct idle_sample *each = &samples->items[i];
        if (i > 0 && each->point == each[-1].point)
            continue;
        if (fit->volts_half > 0)
            snprintf(name, sizeof name, "%.4g V", each->volts);
        else
            snprintf(name, sizeof name, "measured");
        snprintf(curve, sizeof curve, "%s, fitted", name);
        draw_measured(chart, samples, i, name);
        for (int step = 0; is_first_of(samples, i) && step <= STEPS; step++) {
            double celsius = fit->celsius_middle + fit->celsius_half * (2.0 * step / STEPS - 1);
            chart_sample(chart, curve, celsius, idle_at(fit, each->volts, celsius));
        }
        chart_curve(chart, curve, name);
    }
}

static void describe(struct model_result *result, const struct idle_fit *fit,
                     const struct idle_samples *samples, const struct vf_table *table)
{
    struct idle_own *own = result->own;
    own->errors = arena_alloc(&result->arena, samples->points, sizeof *own->errors);
    if (fit->volts_half > 0) {
        set_across_volts(result, fit);
        set_at_each(result, fit, samples);
    } else {
        set_at_one(result, fit);
    }
    for (size_t i = 0; i < samples->points; i++)
        own->errors[own->error_count++] = error_of_point(fit, samples, i);
    model_set_quality(result, "r2", fit->r2, false);
    model_set_quality(result, "residual_w", fit->residual, false);
    model_set_quality(result, "condition", fit->condition, false);
    model_states(result, "errors");
    point_error_report(fit->shift, result);
    own->idle = *fit;
    own->vf = *table;
    model_states(result, "idle");
    model_states(result, "vf");
    model_note(result, "from %.1f to %.1f C; temperatures are in C, W0 is the power at 0 C",
               fit->celsius_middle - fit->celsius_half, fit->celsius_middle + fit->celsius_half);
    if (samples->without_state > 0)
        model_note(result, "%zu points cooled in an unknown state and are left out", samples->without_state);
    draw(result, fit, samples);
    validate(samples, fit, result);
}

/* A chip leaks more the hotter it is, and never generates power. */
static enum status check_leakage(const struct idle_samples *samples, const struct idle_fit *fitted,
                                 struct error *error)
{
    double cold = fitted->celsius_middle - fitted->celsius_half;
    double hot = fitted->celsius_middle + fitted->celsius_half;
    for (size_t i = 0; i < samples->count; i++) {
        double volts = samples->items[i].volts;
        if (i > 0 && samples->items[i].point == samples->items[i - 1].point)
            continue;
        struct interval more = idle_rise(fitted, volts, cold, hot);
        struct interval least = idle_at(fitted, volts, cold);
        if (more.high >= 0 && least.high >= 0)
            continue;
        if (more.high < 0)
            error_set(error, STATUS_USAGE,
                      "at %.4g V the chip draws %.4g W [%.4g, %.4g] from %.1f to %.1f C: it cannot draw less "
                      "when hotter",
                      volts, more.value, more.low, more.high, cold, hot);
        else
            error_set(error, STATUS_USAGE,
                      "at %.4g V and %.1f C the fitted power is %.4g W, but cannot be below 0", volts, cold,
                      least.value);
        error_hint(error, "possible causes: a meter of the wrong sign, a thermometer far from the chip, a "
                          "fan that speeds up, or background work while the chip cools");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* Adds a row for each window. */
static void set_fitted(const struct dataset *dataset, const struct idle_samples *samples,
                       const struct idle_fit *fit, struct fitted *fitted)
{
    bool by_recipe = has_several_recipes(samples);
    fitted_begin(fitted, "idle power", "W", NULL);
    fitted->groups = by_recipe ? NULL : "coolings";
    fitted->spread = fit->spread;
    idle_names(fit, fitted->names);
    for (size_t i = 0; i < samples->count; i++) {
        const struct idle_sample *each = &samples->items[i];
        struct fitted_row *row = fitted_add(fitted);
        fitted_place(row, dataset, each->of);
        row->group = by_recipe ? each->group : each->point;
        row->celsius = each->celsius;
        row->measured = each->watts;
        row->predicted = idle_at(fit, each->volts, each->celsius).value;
        idle_columns(fit, each->volts, each->celsius, row->x);
    }
    /* form_test does not apply, as the rows are not independent: the windows of a cooling share an error, and
     * so do those of one degree of the thermometer. */
    fitted->tested = true;
}

static enum status fit(const struct dataset *dataset, const struct model_settings *settings,
                       struct fitted *fitted, struct model_result *result, struct error *error)
{
    struct vf_table table;
    struct idle_samples samples;
    struct idle_fit idle;
    double degree = model_setting(model_idle.settings, settings, "degree");
    double window_s = model_setting(model_idle.settings, settings, "window_s");
    if (!(degree >= 0 && degree <= 3) || !(window_s > 0))
        return error_set(error, STATUS_USAGE,
                         "degree is %g and window_s %g: expected 0 to 3, and seconds above 0", degree,
                         window_s);
    enum status status = idle_check_requests(dataset, error);
    if (status != STATUS_OK)
        return status;
    vf_read(&result->machine, model_idle.settings, settings, &table);
    idle_gather(dataset, &table, window_s, &samples);
    idle_leave_out(&samples);
    idle_report_left_out(&samples, result);
    status =
        idle_fit(&samples, (size_t)degree, point_error_assumed(model_idle.settings, settings), &idle, error);
    if (status == STATUS_OK)
        status = check_leakage(&samples, &idle, error);
    if (status == STATUS_OK) {
        idle_test_form(&samples, &idle, "this model", result);
        set_fitted(dataset, &samples, &idle, fitted);
        describe(result, &idle, &samples, &table);
    }
    idle_free(&samples);
    return status;
}

/* Reads temperature_c and, if the model has several voltages, volts or ghz. With seconds, also predicts
 * energy. */
static enum status predict(const struct model_result *model, const struct named_numbers *counters,
                           const struct model_settings *settings, struct model_result *result,
                           struct error *error)
{
    (void)settings;
    const struct idle_own *own = model->own;
    const struct idle_fit *fitted = &own->idle;
    if (!idle_is_fit(fitted))
        return error_set(error, STATUS_USAGE, "the model has no coefficients");
    double celsius = named_number_value(counters, "temperature_c");
    double volts = named_number_value(counters, "volts");
    double seconds = named_number_value(counters, "seconds");
    const struct vf_state *state = vf_at(&own->vf, named_number_value(counters, "ghz"));
    if (isnan(volts) && state != NULL)
        volts = state->volts;
    if (!isfinite(celsius) || (fitted->volts_half > 0 && !isfinite(volts))) {
        error_set(error, STATUS_USAGE, "the counters lack the %s",
                  isfinite(celsius) ? "voltage" : "temperature");
        error_hint(error, "expected temperature_c, and volts or the ghz of one of the model's states");
        return STATUS_USAGE;
    }
    struct interval watts = idle_at(fitted, volts, celsius);
    model_add_part(result, "idle power", watts, "W", false);
    if (isfinite(seconds))
        model_add_part(result, "idle energy", interval_times(watts, seconds), "J", false);
    struct sentences beyond = {0};
    idle_note_beyond(fitted, volts, celsius, &beyond, &result->arena);
    model_take_notes(result, &beyond);
    return STATUS_OK;
}

static const struct field_row error_rows[] = {
    FIELD_ROW(idle_error, "volts", FIELD_REAL, volts),
    FIELD_ROW(idle_error, "mean_absolute", FIELD_REAL, mean_absolute),
    FIELD_ROW(idle_error, "samples", FIELD_WHOLE, samples),
    {0}};

static const struct field_row own_rows[] = {
    FIELD_STRUCTS(idle_own, "errors", errors, error_count, error_rows, struct idle_error),
    FIELD_PART(idle_own, "idle", idle, idle_fit_rows),
    MODEL_OWN(idle_own, "vf", vf, vf_read_states, vf_write_states),
    {0}};

static const struct idle_own nothing = {.idle = IDLE_NOTHING, .vf = {.clock_ghz = NAN}};

static const char *const fit_only[] = {"degree", "window_s", "point_error", "vf*", NULL};

const struct model model_idle = {
    .name = "idle",
    .title = "idle power against temperature and voltage (Su et al. 2014, Adhinarayanan et al. 2016)",
    .page =
        "P = W1(V) * T + W0(V), W1 and W0 cubic in V, from a heated chip that cools while nothing runs\n"
        "(ppep-2014/heat-and-cool); at one voltage, a cubic in T. Assumes that the thermometer follows the\n"
        "leaking silicon and that nothing else changes while the chip cools: background work, or a fan on\n"
        "the same meter that changes speed, looks like leakage. Do not trust it outside the measured\n"
        "temperatures and voltages, or where idle states power cores off in some measurements and not in\n"
        "others. Less than 5 K of cooling is refused, and so are requested states that differ in more than\n"
        "the clock.\n",
    .settings = rows,
    .own_rows = own_rows,
    .own_size = sizeof(struct idle_own),
    .own_none = &nothing,
    .fit_only = fit_only,
    .of_coolings = true,
    .design = &design_of_idle,
    .fit = fit,
    .predict = predict,
};
