/* The model "ppep": its fit, from the parts in ppep_*.c. */
#include "model/ppep/ppep.h"

#include "base/memory.h"
#include "model/chart.h"
#include "model/fitting/form.h"
#include "model/model.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct model_setting_row rows[] = {
    {"alpha", "exponent of the voltage, if the data has a single voltage or it is known (fitted)", NAN},
    {"leading_factor", "factor on the leading loads' cycles (1; fitted for a substitute counter)", NAN},
    {"window_s", "seconds of cooling per sample of idle power", 2},
    {"without_uops", "1: leaves out this event; the following likewise", 0},
    {"without_fpu", "assignments to the floating point unit", 0},
    {"without_l1i_fetches", "fetches from L1I", 0},
    {"without_l1d_accesses", "accesses to L1D", 0},
    {"without_l2_requests", "requests to L2", 0},
    {"without_branches", "branches", 0},
    {"without_mispredictions", "mispredicted branches", 0},
    {"without_l2_misses", "misses of L2", 0},
    {"without_stalls", "dispatch stalls", 0},
    {"gated", "predict: 1 where idle compute units are power-gated", 0},
    {"cap_w", "predict: the chip's power cap, W", NAN},
    POINT_ERROR_SETTING,
    VF_SETTING_ROWS,
    {NULL, NULL, NAN}};

/* Larger corrections of a coefficient, in standard errors, are reported. */
static const double NOTABLE = 0.5;

/* Below this probability, a rise of dynamic power with temperature counts as found. */
static const double FOUND = 0.01;

/* The relative error of the rise of temperature in a repetition, from thermometers that lag and parabolas
 * through few readings. */
static const double SAME_RISE = 0.01;

/* A temperature that was not recorded may be outside the recorded range by this much. */
static const double UNKNOWN_C = 5;

static void read_left_out(const struct model_settings *settings, bool left_out[PPEP_EVENTS])
{
    for (size_t i = 0; i < PPEP_EVENTS; i++) {
        char name[48];
        snprintf(name, sizeof name, "without_%s", ppep_events[i].name);
        left_out[i] = model_setting(model_ppep.settings, settings, name) != 0;
    }
}

/* Fits idle power to the coolings in the data; without coolings, it is that of each point's own idle
 * intervals. The caller frees the samples. */
static void fit_idle(const struct dataset *dataset, const struct model_settings *settings,
                     struct ppep_model *model, struct idle_samples *samples, struct model_result *result)
{
    struct error error = {0};
    idle_gather(dataset, &model->table, model_setting(model_ppep.settings, settings, "window_s"), samples);
    idle_leave_out(samples);
    idle_report_left_out(samples, result);
    double assumed = point_error_assumed(model_ppep.settings, settings);
    model->has_idle = idle_fit(samples, 0, assumed, &model->idle, &error) == STATUS_OK;
    if (!model->has_idle)
        model_note(
            result,
            "idle power is that of each point's own idle intervals, and only dynamic power is predicted: %s",
            error.message);
    if (model->has_idle && model->idle.volts_half <= 0 && model->table.count > 1) {
        model->has_idle = false;
        model_note(result, "the chip cooled at one voltage only: its idle power at the others is unknown");
    }
}

/* ---- error of whole points ---- */

/* Deviations: of points with events, which include power that the events do not explain, and of others. */
struct shifts {
    struct point_residual *events, *others; /* owned */
    size_t event_count, other_count;
};

static double freedom_of(const struct point_residual *residuals, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += residuals[i].freedom;
    return sum;
}

/* Chooses the estimate from coolings and points with gating alone, or that from all data. The latter is an
 * upper bound, as power that the events do not explain can only increase deviations: it is used if the few
 * others alone give a larger estimate, or none. */
static struct point_error choose_shift(const struct shifts *shifts, double assumed)
{
    size_t count = shifts->event_count + shifts->other_count;
    struct point_residual *all = memory_zeroed(count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = i < shifts->other_count ? shifts->others[i] : shifts->events[i - shifts->other_count];
    struct point_error own = point_error_of(shifts->others, shifts->other_count, assumed);
    struct point_error together = point_error_of(all, count, assumed);
    bool bounded = freedom_of(shifts->events, shifts->event_count) >= POINT_ERROR_LEAST;
    free(all);
    return bounded && together.share < own.share ? together : own;
}

static enum status gather_shifts(const struct dataset *dataset, const struct ppep_model *model,
                                 const struct idle_samples *samples, const struct model_result *result,
                                 double assumed, struct shifts *shifts, struct error *error)
{
    enum status status =
        ppep_gating_residuals(dataset, model, result, assumed, shifts->others, &shifts->other_count, error);
    if (status == STATUS_OK && model->has_idle && samples->points > model->idle.volts_degree + 1) {
        idle_residuals(samples, &model->idle, shifts->others + shifts->other_count);
        shifts->other_count += samples->points;
    }
    return status;
}

/* Fits dynamic power and the parts of idle power, first to estimate the error of whole points, then again
 * with it. */
static enum status fit_power(const struct dataset *dataset, const struct model_settings *settings,
                             const struct ppep_points *points, const struct idle_samples *samples,
                             struct ppep_model *model, struct model_result *result, struct error *error)
{
    double alpha = model_setting(model_ppep.settings, settings, "alpha");
    double assumed = point_error_assumed(model_ppep.settings, settings);
    struct shifts shifts = {.events = memory_zeroed(points->count + 1, sizeof *shifts.events),
                            .others =
                                memory_zeroed(dataset->count + samples->points + 1, sizeof *shifts.others)};
    enum status status = ppep_fit_power(model, points, alpha, SIZE_MAX, assumed, shifts.events,
                                        &shifts.event_count, &model->power, error);
    if (status == STATUS_OK)
        status = gather_shifts(dataset, model, samples, result, assumed, &shifts, error);
    if (status == STATUS_OK) {
        struct point_error shift = choose_shift(&shifts, assumed);
        point_error_report(shift, result);
        if (model->has_idle)
            status = idle_fit_shifted(samples, shift, &model->idle, error);
        if (status == STATUS_OK && model->has_idle)
            idle_test_form(samples, &model->idle, "the idle power beneath this model", result);
        if (status == STATUS_OK)
            status =
                ppep_fit_power(model, points, alpha, SIZE_MAX, assumed, NULL, NULL, &model->power, error);
        if (status == STATUS_OK)
            status = ppep_fit_gating(dataset, model, &shift, result, &model->gating, error);
    }
    free(shifts.events);
    free(shifts.others);
    return status;
}

static void choose_leading(const struct model_settings *settings, const struct ppep_points *points,
                           struct ppep_model *model, struct model_result *result)
{
    struct interval factor = {NAN, NAN, NAN, 0};
    double given = model_setting(model_ppep.settings, settings, "leading_factor");
    bool fitted = ppep_fit_leading(points, &factor);
    model->leading_factor = 1;
    if (model->columns.leading == NULL) {
        model_note(result, "no counter counts the cycles of leading loads: cycles are assumed to be the "
                           "same at every clock, which is wrong for programs that wait for memory");
        return;
    }
    ((struct ppep_own *)result->own)->leading_loads = *model->columns.leading;
    model_states(result, "leading_loads");
    if (fitted)
        model_set_coefficient(result, "leading_factor", factor, "1");
    if (isfinite(given))
        model->leading_factor = given;
    else if (fitted && !model->columns.leading->exact)
        model->leading_factor = factor.value;
    if (!model->columns.leading->exact)
        model_note(result, "leading loads from %s: %s; times %.3g%s", model->columns.leading->name,
                   model->columns.leading->what, model->leading_factor,
                   isfinite(given) ? " as given"
                   : fitted        ? ", fitted"
                                   : ", unfitted");
}

/* Whether the points' own idle level at that voltage agrees with the cooling model. The temperature of that
 * level was not recorded: it is neither far below the coldest of the coolings nor above the hottest at which
 * the points ran. */
static bool check_level(const struct ppep_model *model, const struct ppep_points *points, double volts,
                        struct model_result *result)
{
    const struct idle_fit *idle = &model->idle;
    double coldest = idle->celsius_middle - 2 * idle->celsius_half;
    double hottest = -INFINITY;
    double sum = 0;
    double error = 0;
    double count = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *point = &points->items[i];
        if (point->vf.volts != volts || !isfinite(point->static_w) || !isfinite(point->celsius))
            continue;
        hottest = fmax(hottest, point->celsius);
        coldest = fmin(coldest, point->celsius - UNKNOWN_C);
        sum += point->static_w;
        error = fmax(error, 2 * dataset_idle_error(point->point));
        count++;
    }
    if (count == 0)
        return true;
    const struct interval least = idle_at(idle, volts, coldest);
    const struct interval most = idle_at(idle, volts, hottest + UNKNOWN_C);
    double level = sum / count;
    if (level >= least.low - error && level <= most.high + error)
        return true;
    model_disbelieve(
        result,
        "do not trust this model: at %.4g V the chip idled at %.4g W before the programs, but by its "
        "coolings it draws %.4g to %.4g W at %.0f to %.0f C: it cooled in other idle states, and the "
        "difference is in awake power",
        volts, level, least.value, most.value, coldest, hottest + UNKNOWN_C);
    return false;
}

static void check_levels(const struct ppep_model *model, const struct ppep_points *points,
                         struct model_result *result)
{
    for (size_t i = 0; model->has_idle && i < points->count; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again = again || points->items[j].vf.volts == points->items[i].vf.volts;
        if (!again && !check_level(model, points, points->items[i].vf.volts, result))
            return;
    }
}

/* Disbelieves the model if dynamic power rises with temperature. The repetitions of a point do the same work
 * while the chip warms: the rise of their power must be that of idle power, which is known from the coolings.
 */
static void check_warming(const struct ppep_model *model, const struct ppep_points *points,
                          struct model_result *result)
{
    double along = 0, length = 0, left = 0, freedom = -1, common = 0;
    for (int round = 0; round < 2; round++) {
        double heats = length > 0 ? along / length : 0;
        for (size_t i = 0; model->has_idle && i < points->count; i++) {
            const struct ppep_point *point = &points->items[i];
            const struct ppep_scatter *of = &point->scatter;
            double dynamic = ppep_dynamic(model, point), squares = of->celsius - of->rounding;
            if (of->reps < 3 || !(dynamic > 0) || !isfinite(point->celsius) || !(squares > 0))
                continue;
            struct interval slope =
                idle_rise(&model->idle, point->vf.volts, point->celsius - 0.5, point->celsius + 0.5);
            if (round == 0) {
                double off = hypot((slope.high - slope.low) / 4, SAME_RISE * slope.value);
                along += dynamic * (of->both - slope.value * squares);
                length += dynamic * dynamic * squares;
                common += dynamic * squares * off;
            } else {
                left += ppep_scatter_at(of, slope.value + heats * dynamic);
                freedom += of->reps - 1;
            }
        }
    }
    if (!(freedom > 0))
        return;
    double heats = along / length, noise = left / freedom * length;
    double chance = form_chance(along * along / (noise + common * common), 1, freedom);
    if (chance < FOUND)
        model_disbelieve(
            result,
            "do not trust this model: as the chip warms during a point, dynamic power changes by %.2g %% per "
            "kelvin, which the model lacks (p = %.1g)",
            100 * heats, chance);
}

/* Sets the coefficient of awake power. Refuses it below 0: a chip that runs programs draws no less than an
 * idle one. */
static enum status check_awake(const struct ppep_power *power, struct model_result *result,
                               struct error *error)
{
    double one[LINEAR_COLUMNS] = {0};
    one[power->events] = 1;
    const struct interval awake = spread_sum(&power->spread, one);
    model_set_coefficient(result, "awake", awake, "W");
    if (awake.value + (awake.high - awake.low) >= 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "awake power is fitted as %.4g [%.4g, %.4g] W, but cannot be below 0: programs draw less than "
              "the idle chip",
              awake.value, awake.low, awake.high);
    error_hint(error,
               "did the chip cool in shallower idle states than between the programs, or at another setting "
               "of the meter?");
    return STATUS_USAGE;
}

static void set_coefficients(const struct ppep_power *power, struct model_result *result)
{
    for (size_t j = 0; j < power->events; j++) {
        char name[48];
        double one[LINEAR_COLUMNS] = {0};
        one[j] = 1;
        struct interval weight = spread_sum(&power->spread, one);
        snprintf(name, sizeof name, "w.%s", ppep_events[power->event[j]].name);
        model_set_coefficient(result, name, weight, "J/event");
        if (weight.low < 0 && weight.high > 0)
            model_note(result, "the data does not show that %s draw power of their own",
                       ppep_events[power->event[j]].name);
    }
    if (!power->awake)
        model_note(result,
                   "the points do not distinguish power that the chip draws while any program runs from that "
                   "of the events: it is part of their energies");
    if (power->corrected > NOTABLE)
        model_note(
            result,
            "coefficients are corrected for the counters' errors, by up to %.1f times their own errors",
            power->corrected);
    if (power->alpha_fitted) {
        double one[LINEAR_COLUMNS] = {0};
        one[power->columns - 1] = 1;
        struct interval off = spread_sum(&power->spread, one);
        double half = (off.high - off.low) / 2;
        model_set_coefficient(
            result, "alpha", (struct interval){power->alpha, power->alpha - half, power->alpha + half, off.n},
            "1");
    } else if (isnan(power->alpha)) {
        model_note(result,
                   "all points are at one voltage: alpha is unknown, and no other voltage is predicted");
    }
}

/* ---- validation ---- */

struct left_out_errors {
    double dynamic, chip, worst;
    size_t rows, groups;
    size_t other_volts; /* points not validated: the other groups have a single voltage, another one */
};

static void add_group(const struct ppep_model *model, const struct ppep_power *power,
                      const struct ppep_points *points, size_t group, struct left_out_errors *errors)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *point = &points->items[i];
        double measured = ppep_dynamic(model, point);
        if (point->group != group || !(measured > 0))
            continue;
        if (isnan(power->alpha) && fabs(point->vf.volts - power->volts) > 1e-3) {
            errors->other_volts++;
            continue;
        }
        double off = fabs(ppep_power_at(power, &point->rates, point->vf.volts, 1).value - measured);
        errors->dynamic += off / measured;
        errors->chip += off / point->total_w;
        errors->worst = fmax(errors->worst, off / point->total_w);
        errors->rows++;
    }
}

/* Leaves out each recipe in turn; a note reports those without which the others do not determine the model.
 */
static void validate(const struct dataset *dataset, const struct ppep_model *model,
                     const struct ppep_points *points, double alpha, double assumed,
                     struct model_result *result)
{
    struct left_out_errors errors = {0};
    for (size_t group = 0; group < dataset->group_count; group++) {
        struct ppep_power power;
        struct error error = {0};
        size_t before = errors.rows;
        bool has = false;
        for (size_t i = 0; i < points->count; i++)
            has = has || points->items[i].group == group;
        if (!has)
            continue;
        if (ppep_fit_power(model, points, alpha, group, assumed, NULL, NULL, &power, &error) != STATUS_OK)
            model_note(result, "not validated by leaving out %s: %s", dataset->groups[group], error.message);
        else if (power.awake != model->power.awake)
            model_note(result, "not validated by leaving out %s: the rest does not determine awake power",
                       dataset->groups[group]);
        else
            add_group(model, &power, points, group, &errors);
        errors.groups += errors.rows > before;
    }
    if (errors.other_volts > 0)
        model_note(result, "not validated: %zu points, as without their recipe a single voltage remains",
                   errors.other_volts);
    if (errors.rows == 0)
        return;
    result->validation =
        (struct model_validation){.leaves_out = "recipes",
                                  .groups = errors.groups,
                                  .rows = errors.rows,
                                  .mean_absolute = errors.chip / (double)errors.rows,
                                  .worst = errors.worst,
                                  .whole_mean_absolute = NAN,
                                  .dynamic_mean_absolute = errors.dynamic / (double)errors.rows};
    model_states(result, "validation");
    model_note(result, "validation is of chip power; of dynamic power alone the mean error is %.2f %%",
               100 * errors.dynamic / (double)errors.rows);
}

static void note_points(const struct ppep_points *points, struct model_result *result)
{
    size_t once = 0;
    for (size_t i = 0; i < points->count; i++)
        once += points->items[i].scatter.reps < 2 && isfinite(points->items[i].celsius);
    if (points->without_counters > 0)
        model_note(result, "%zu points lack a counter and are left out", points->without_counters);
    if (points->without_power > 0)
        model_note(result, "%zu points have no power and are left out", points->without_power);
    if (once > 0)
        model_note(result,
                   "%zu points have one repetition, and only the temperature at its end, which is above the "
                   "mean while a chip warms up; run with --reps 3 or more",
                   once);
    if (points->without_state > 0)
        model_note(result, "%zu points ran in an unknown state of voltage and frequency and are left out",
                   points->without_state);
}

/* Sets the range of measured clocks: predictions outside it are extrapolations. */
static void set_fitted(const struct ppep_points *points, struct model_result *result)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t i = 0; i < points->count; i++) {
        low = fmin(low, points->items[i].vf.ghz);
        high = fmax(high, points->items[i].vf.ghz);
    }
    ((struct ppep_own *)result->own)->fitted.ghz = model_span(low, high, &result->arena);
    model_states(result, "fitted");
}

static void draw_weights(const struct ppep_model *model, struct model_result *result)
{
    struct chart *weights =
        model_chart(result, CHART_BARS, "Energy of one event", "at the reference voltage", "", "Energy (nJ)");
    for (size_t j = 0; j < model->power.events; j++) {
        char name[48];
        struct interval weight;
        const char *event = ppep_events[model->power.event[j]].name;
        snprintf(name, sizeof name, "w.%s", event);
        if (model_coefficient(result, name, &weight))
            chart_bar(weights, "", event, interval_times(weight, 1e9));
    }
}

static enum status fit_points(const struct dataset *dataset, const struct model_settings *settings,
                              const struct ppep_points *points, const struct idle_samples *samples,
                              struct ppep_model *model, struct fitted *fitted, struct model_result *result,
                              struct error *error)
{
    double alpha = model_setting(model_ppep.settings, settings, "alpha");
    model->columns = points->columns;
    enum status status = fit_power(dataset, settings, points, samples, model, result, error);
    if (status == STATUS_OK)
        ppep_set_fitted(dataset, model, points, &model->power, fitted, result);
    if (status == STATUS_OK && model->power.awake)
        status = check_awake(&model->power, result, error);
    if (status != STATUS_OK)
        return status;
    check_levels(model, points, result);
    check_warming(model, points, result);
    choose_leading(settings, points, model, result);
    set_coefficients(&model->power, result);
    model_set_quality(result, "r2", model->power.r2, false);
    model_set_quality(result, "residual_w", model->power.residual, false);
    model_set_quality(result, "condition", model->power.condition, false);
    validate(dataset, model, points, alpha, point_error_assumed(model_ppep.settings, settings), result);
    if (model->power.alpha_fitted || isfinite(alpha))
        ppep_judge_across(model, points, result);
    note_points(points, result);
    set_fitted(points, result);
    draw_weights(model, result);
    ppep_record(model, result);
    return STATUS_OK;
}

static enum status fit(const struct dataset *dataset, const struct model_settings *settings,
                       struct fitted *fitted, struct model_result *result, struct error *error)
{
    struct ppep_model model = {0};
    struct ppep_points points;
    struct idle_samples samples;
    bool left_out[PPEP_EVENTS];
    read_left_out(settings, left_out);
    vf_read(&result->machine, model_ppep.settings, settings, &model.table);
    enum status status = idle_check_requests(dataset, error);
    if (status != STATUS_OK)
        return status;
    fit_idle(dataset, settings, &model, &samples, result);
    status = ppep_gather(dataset, &model.table, left_out, &points, error);
    if (status == STATUS_OK)
        status = fit_points(dataset, settings, &points, &samples, &model, fitted, result, error);
    idle_free(&samples);
    ppep_points_free(&points);
    return status;
}

static const char *const fit_only[] = {
    "alpha", "leading_factor", "window_s", "point_error", "without_*", "vf*", NULL};
static const char *const predict_only[] = {"gated", "cap_w", NULL};

static const struct model_bound bounds[] = {
    {"w.*",
     "an event cannot have negative energy: its counter is correlated with something that is not among "
     "the events, or counts something else; --set without_NAME=1 leaves it out"},
    {"idle.*", "gated and ungated points are mixed up, or busy is not the number of busy compute units"},
    {"gating.program_a", "busy is not the number of busy compute units"},
    {"leading_factor",
     "programs wait fewer cycles for memory at a faster clock: is the order of ghz or vf reversed?"},
    {NULL, NULL}};

const struct model model_ppep = {
    .name = "ppep",
    .title = "cycles, power and energy at every state of voltage and frequency (Su et al. 2014)",
    .page = "Cycles per instruction at another clock: (E1 + E3 * (f'/f - 1)) / E2, where E3 is the cycles\n"
            "of leading loads. Dynamic power is the weighted sum of nine events per second; the weights of\n"
            "the cores' own events scale with (V/Vref)^alpha. Awake power is what the chip draws while any\n"
            "program runs. In other states, events per instruction stay the same, and so do cycles without\n"
            "dispatch stalls. Idle power is that of the model idle, from coolings among the same results;\n"
            "points with the parameters busy and gating (ppep-2014/power-gating) divide it into compute\n"
            "units, north bridge and the rest. The model assumes that memory keeps its clock, that all\n"
            "cores share one state, and that the nine events account for the cores' power. Do not trust it\n"
            "for programs unlike those of the fit, where vector width or data determine the power, or, with\n"
            "a substitute counter for leading loads, for programs bound by L2; leading_loads in the model\n"
            "names the counter. Points whose clock the machine did not reach are left out; boost must be\n"
            "off.\n",
    .settings = rows,
    .own_rows = ppep_own_rows,
    .own_size = sizeof(struct ppep_own),
    .own_none = &ppep_nothing,
    .fit_only = fit_only,
    .predict_only = predict_only,
    .bounds = bounds,
    .label = ppep_label,
    .ends_by_point = true,
    .own_idle = true,
    .of_processors = true,
    .by_core = true,
    .design = &design_of_ppep,
    .fit = fit,
    .predict = ppep_predict,
};
