/* The model "incremental" (Kestor et al. 2013): computes the cost of each operation, level by level, from
 * programs of one operation each; each cost is what the costs before it leave over. */
#include "model/incremental/incremental.h"

#include "base/json.h"
#include "model/chart.h"
#include "model/data/pooled.h"
#include "model/fitting/squeeze.h"
#include "runner/results/recorded_machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The cost's coefficient: "E_L2". */
static const char *const incremental_names[COSTS] = {"E_NOP", "E_ADD", "E_L1",    "E_L2",
                                                     "E_L3",  "E_MEM", "E_stall", "E_prefetch"};
/* A level's cost above that of the level before it: "increment.L2"; for L1 its own cost. */
static const char *const incremental_increments[4] = {"increment.L1", "increment.L2", "increment.L3",
                                                      "increment.MEM"};

enum { MB_NOP, MB_ADD, MB_L1ASM, MB_L1, MB_L2, MB_L3, MB_MEM, MB_MEM64, PROGRAMS };
static const struct {
    const char *name;
    enum incremental_cost cost; /* that it determines */
    bool loads;                 /* that level serves all of its loads */
} programs[PROGRAMS] = {
    [MB_NOP] = {"MB_NOP", COST_NOP, false},   [MB_ADD] = {"MB_iADD", COST_ADD, false},
    [MB_L1ASM] = {"MB_L1asm", COST_L1, true}, [MB_L1] = {"MB_L1", COST_STALL, true},
    [MB_L2] = {"MB_L2", COST_L2, true},       [MB_L3] = {"MB_L3", COST_L3, true},
    [MB_MEM] = {"MB_MEM", COST_MEM, true},    [MB_MEM64] = {"MB_MEM64", COST_PREFETCH, true},
};

/* The paper's lowest value is 0.9918. */
static const double SERVED = 0.95;

/* Mixtures further off show that costs do not add up. */
static const double BELIEVED = 0.05;

/* MB_L1asm may have at most this share of the stalls per load of MB_L1. */
static const double STALLS_APART = 0.1;

/* Used to estimate the error of points. */
enum { MIXTURES = 64 };

/* Numbers of one program among the inputs of the propagation. */
enum { INPUT_ENERGY, INPUT_IDLE, INPUT_POINT, INPUT_STALLS, INPUTS };

struct fit {
    struct incremental_program of[PROGRAMS];
    bool has_l3;
    double factor;
};

/* ---- from programs to costs ---- */

static double energy_of(const double *inputs, size_t program)
{
    const double *own = inputs + program * INPUTS;
    return own[INPUT_ENERGY] + own[INPUT_IDLE] + own[INPUT_POINT];
}

/* Subtracts the loads from earlier levels at their cost. */
static double level_cost(const struct fit *fit, size_t program, const double *inputs, const double *costs)
{
    const double *counts = fit->of[program].counts;
    enum incremental_cost level = programs[program].cost;
    double left = energy_of(inputs, program) - costs[COST_STALL] * inputs[program * INPUTS + INPUT_STALLS];
    for (size_t i = COST_L1; level <= COST_MEM && i < level; i++)
        left -= counts[i] * costs[i];
    return left / counts[level];
}

/* Computes costs, then increments. */
static void solve(const double *inputs, double *outputs, const void *context)
{
    static const size_t order[] = {MB_L2, MB_L3, MB_MEM, MB_MEM64};
    const struct fit *fit = context;
    double costs[COSTS] = {0};
    double energy[PROGRAMS];
    for (size_t i = 0; i < PROGRAMS; i++)
        energy[i] = energy_of(inputs, i);
    costs[COST_NOP] = energy[MB_NOP] / fit->of[MB_NOP].counts[COST_NOP];
    costs[COST_ADD] = energy[MB_ADD] / fit->of[MB_ADD].counts[COST_ADD];
    costs[COST_L1] = energy[MB_L1ASM] / fit->of[MB_L1ASM].counts[COST_L1];
    costs[COST_STALL] = (energy[MB_L1] - fit->factor * costs[COST_L1] * fit->of[MB_L1].counts[COST_L1]) /
                        inputs[MB_L1 * INPUTS + INPUT_STALLS];
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (order[i] != MB_L3 || fit->has_l3)
            costs[programs[order[i]].cost] = level_cost(fit, order[i], inputs, costs);
    memcpy(outputs, costs, sizeof costs);
    outputs[COSTS] = costs[COST_L1];
    outputs[COSTS + 1] = costs[COST_L2] - costs[COST_L1];
    outputs[COSTS + 2] = costs[COST_L3] - costs[COST_L2];
    outputs[COSTS + 3] = costs[COST_MEM] - costs[fit->has_l3 ? COST_L3 : COST_L2];
}

static void set_coefficients(const struct fit *fit, const struct point_error *shift, json_t *document)
{
    struct propagate_input inputs[PROGRAMS * INPUTS] = {0};
    struct interval outputs[COSTS + 4];
    for (size_t i = 0; i < PROGRAMS; i++) {
        const struct incremental_program *program = &fit->of[i];
        double points = fmax(1, (double)program->points);
        inputs[i * INPUTS + INPUT_ENERGY] = program->energy_j;
        inputs[i * INPUTS + INPUT_IDLE].error = program->idle_error_j;
        inputs[i * INPUTS + INPUT_POINT].error = shift->share * program->whole_j / sqrt(points);
        inputs[i * INPUTS + INPUT_POINT].freedom = (size_t)shift->freedom;
        inputs[i * INPUTS + INPUT_STALLS] =
            (struct propagate_input){program->counts[COST_STALL], program->stall_error, 0};
    }
    propagate(inputs, PROGRAMS * INPUTS, solve, fit, outputs, COSTS + 4);
    for (size_t i = 0; i < PROGRAMS; i++) {
        enum incremental_cost cost = programs[i].cost;
        outputs[cost].n = fit->of[i].rows;
        if (i != MB_L3 || fit->has_l3)
            model_set_coefficient(document, incremental_names[cost], outputs[cost],
                                  cost == COST_STALL ? "J/cycle" : "J/operation");
        if (outputs[cost].low <= 0 && (i != MB_L3 || fit->has_l3))
            model_note(document, "%s cannot be distinguished from 0: measure longer, or more repetitions",
                       incremental_names[cost]);
    }
    for (size_t i = 0; i < 4; i++) {
        outputs[COSTS + i].n = outputs[COST_L1 + i].n;
        if (i != 2 || fit->has_l3)
            model_set_coefficient(document, incremental_increments[i], outputs[COSTS + i], "J/operation");
    }
    if (isfinite(fit->of[MB_MEM].dram_w.value))
        model_set_coefficient(document, "P_dram", fit->of[MB_MEM].dram_w, "W/thread");
    else
        model_note(document, "P_dram and the power of fans are unknown: they need an external meter and one "
                             "of the chip together");
}

static struct interval in_nj(struct interval joules)
{
    return (struct interval){1e9 * joules.value, 1e9 * joules.low, 1e9 * joules.high, joules.n};
}

static const char *name_of_machine(const json_t *document)
{
    const char *name = recorded_machine_read(json_object_get(document, "machine")).name;
    return name == NULL ? "" : name;
}

static double width_of(const json_t *document)
{
    return recorded_machine_read(json_object_get(document, "machine")).issue_width;
}

/* Table II as bars. */
static void draw_costs(json_t *document)
{
    static const char *const words[COSTS] = {"NOP",       "ADD",        "L1 to REG", "L2 to REG",
                                             "L3 to REG", "MEM to REG", "stall",     "prefetch"};
    const char *machine = name_of_machine(document);
    json_t *chart = chart_add(document, "Energy of one operation, and increment over the previous level",
                              machine, "bars", "", "Energy (nJ)");
    struct interval cost;
    for (size_t i = 0; i < COSTS; i++)
        if (model_coefficient(document, incremental_names[i], &cost))
            chart_bar(chart, "operation", words[i], in_nj(cost));
    for (size_t i = 0; i < 4; i++)
        if (model_coefficient(document, incremental_increments[i], &cost))
            chart_bar(chart, "increment", words[COST_L1 + i], in_nj(cost));
}

/* ---- requirements on the data ---- */

static enum status check_served(const struct fit *fit, struct error *error)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        const double *counts = fit->of[i].counts;
        enum incremental_cost own = i == MB_L1 ? COST_L1 : programs[i].cost;
        double loads = counts[COST_L1] + counts[COST_L2] + counts[COST_L3] + counts[COST_MEM];
        if (i == MB_L3 && !fit->has_l3)
            continue;
        if (counts[own] > 0 && (!programs[i].loads || own == COST_PREFETCH || counts[own] >= SERVED * loads))
            continue;
        error_set(error, STATUS_USAGE,
                  "%s: %.3g of its %.3g loads per pass come from its level, expected at least %g",
                  programs[i].name, counts[own], loads, SERVED);
        error_hint(error, "trauma check reports what this program does on this machine");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* Without stalls in MB_L1, or with as many in MB_L1asm, a load and its stalls are one column. */
static enum status check_stalls(const struct fit *fit, struct error *error)
{
    const struct incremental_program *waits = &fit->of[MB_L1];
    const struct incremental_program *flows = &fit->of[MB_L1ASM];
    double waiting = waits->counts[COST_STALL] / waits->counts[COST_L1];
    double flowing = flows->counts[COST_STALL] / flows->counts[COST_L1];
    if (!(waiting > 0))
        return error_set(
            error, STATUS_USAGE,
            "MB_L1 does not stall (%.3g cycles per load): nothing determines the cost of a stall", waiting);
    static const size_t chases[] = {MB_L2, MB_L3, MB_MEM};
    for (size_t i = 0; i < sizeof chases / sizeof chases[0]; i++) {
        const struct incremental_program *chase = &fit->of[chases[i]];
        double own = chase->counts[COST_STALL] / chase->counts[programs[chases[i]].cost];
        if ((chases[i] == MB_L3 && !fit->has_l3) || own >= waiting)
            continue;
        error_set(error, STATUS_USAGE,
                  "%s stalls %.3g cycles per load, less than the %.3g of MB_L1: a chase through a farther "
                  "level waits longer",
                  chase->name, own, waiting);
        error_hint(error, "are the stalls counted on the loop's own core, and over all of its repetitions?");
        return STATUS_USAGE;
    }
    if (flowing <= STALLS_APART * waiting)
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "loads from L1 and stalls move together: %.3g stalls per load in MB_L1asm, %.3g in MB_L1; "
              "their costs cannot be separated",
              flowing, waiting);
    error_hint(error, "MB_L1asm should fill every cycle: is its core shared, or does its clock differ?");
    return STATUS_USAGE;
}

static enum status choose_factor(const struct model_settings *settings, json_t *document, double *factor,
                                 struct error *error)
{
    const struct recorded_machine machine = recorded_machine_read(json_object_get(document, "machine"));
    double width = machine.load_ports, latency = machine.latency_l1d;
    *factor = model_setting(&model_incremental, settings, "factor");
    if (isfinite(*factor)) {
        model_note(document, "factor %.4g: as set", *factor);
    } else if (width > 0 && latency > 0) {
        *factor = (width * latency - 1) / latency;
        model_note(document, "factor %.4g = (%g * %g - 1) / %g, from %g loads per cycle and %g cycles to L1",
                   *factor, width, latency, latency, width, latency);
    } else {
        error_set(error, STATUS_USAGE, "the machine's description lacks %s",
                  width > 0 ? "latency = { L1D = CYCLES }" : "ports = { load = LOADS_A_CYCLE }");
        error_hint(error,
                   "trauma machine probe measures it; or --set factor=1.75, as on the paper's machine");
        return STATUS_USAGE;
    }
    json_object_set_new(document, "factor", json_real(*factor));
    return STATUS_OK;
}

static const char *label(const struct dataset_row *row, char *buffer)
{
    (void)buffer;
    const char *program = dataset_text(row, "program");
    for (size_t i = 0; program != NULL && i < PROGRAMS; i++)
        if (strcmp(program, programs[i].name) == 0)
            return program;
    return dataset_text(row, "mixture");
}

/* The costs of a chain hold for one clock, and for one value of every other parameter of the sweep. */
static enum status check_alike(const struct incremental_program *first,
                               const struct incremental_program *other, struct error *error)
{
    static const char *const named[] = {"program", "mixture", NULL};
    enum status status = pooled_clock(first->first, other->first, error);
    return status == STATUS_OK ? pooled_check(first->first, other->first, other->name, named, false, error)
                               : status;
}

/* ---- error of whole points ---- */

/* Mixtures off by more than this many standard errors, at twice the assumed error, show that costs do not add
 * up, and nothing about points. */
static const double ADDS_UP = 3;

/* Mixtures against the sums of their parts: the effect of every program's noise, and of the mixture's own. */
struct mixture_errors {
    size_t count;
    double off[MIXTURES];
    double own[MIXTURES][PROGRAMS + MIXTURES], whole[MIXTURES][PROGRAMS + MIXTURES];
};

/* Adds a mixture, unless it shows that costs do not add up. */
static void add_mixture(const struct fit *fit, const struct incremental_program *mixture, double assumed,
                        struct mixture_errors *errors)
{
    double inputs[PROGRAMS * INPUTS] = {0};
    double outputs[COSTS + 4];
    double *own = errors->own[errors->count];
    double *whole = errors->whole[errors->count];
    double variance = 0;
    double squared = 0;
    memset(own, 0, sizeof errors->own[0]);
    memset(whole, 0, sizeof errors->whole[0]);
    for (size_t i = 0; i < PROGRAMS; i++) {
        inputs[i * INPUTS + INPUT_ENERGY] = fit->of[i].energy_j.value;
        inputs[i * INPUTS + INPUT_STALLS] = fit->of[i].counts[COST_STALL];
    }
    solve(inputs, outputs, fit);
    double predicted = incremental_sum(mixture->counts, outputs);
    for (size_t i = 0; i < PROGRAMS; i++) {
        const struct incremental_program *program = &fit->of[i];
        if (!(program->whole_j > 0))
            continue;
        inputs[i * INPUTS + INPUT_POINT] = program->whole_j;
        solve(inputs, outputs, fit);
        inputs[i * INPUTS + INPUT_POINT] = 0;
        double moves = incremental_sum(mixture->counts, outputs) - predicted;
        own[i] = moves * hypot(program->energy_j.error, program->idle_error_j) / program->whole_j;
        whole[i] = moves / sqrt((double)program->points);
    }
    own[PROGRAMS + errors->count] = hypot(mixture->energy_j.error, mixture->idle_error_j);
    whole[PROGRAMS + errors->count] = mixture->whole_j / sqrt((double)mixture->points);
    for (size_t i = 0; i < PROGRAMS + MIXTURES; i++) {
        variance += own[i] * own[i];
        squared += whole[i] * whole[i];
    }
    errors->off[errors->count] = mixture->energy_j.value - predicted;
    if (pow(errors->off[errors->count], 2) <=
        ADDS_UP * ADDS_UP * (variance + 4 * assumed * assumed * squared))
        errors->count++;
}

/* Mixtures with common programs share these programs' noise. */
static size_t set_apart(const struct mixture_errors *errors, struct point_residual *residuals)
{
    return point_error_apart(errors->off, &errors->own[0][0], &errors->whole[0][0], errors->count,
                             PROGRAMS + MIXTURES, residuals);
}

/* The differences between points of one program, and between mixtures and the sums of their parts. */
static struct point_error error_of_points(const struct dataset *dataset, const struct fit *fit,
                                          double assumed, const json_t *document)
{
    struct point_residual residuals[PROGRAMS + 2 * MIXTURES];
    struct mixture_errors errors = {0};
    const char *names[MIXTURES];
    size_t count = 0;
    size_t found = 0;
    for (size_t i = 0; i < PROGRAMS; i++)
        if (fit->of[i].points > 1)
            residuals[count++] = fit->of[i].between;
    for (size_t i = 0; i < dataset->count && found < MIXTURES; i++) {
        struct incremental_program mixture;
        struct error error;
        const char *name = dataset_text(&dataset->rows[i], "mixture");
        bool seen = name == NULL;
        for (size_t j = 0; !seen && j < found; j++)
            seen = strcmp(names[j], name) == 0;
        if (seen)
            continue;
        names[found++] = name;
        if (incremental_gather(dataset, width_of(document), "mixture", name, &mixture, &error) != STATUS_OK ||
            check_alike(&fit->of[MB_NOP], &mixture, &error) != STATUS_OK)
            continue;
        add_mixture(fit, &mixture, assumed, &errors);
        if (mixture.points > 1)
            residuals[count++] = mixture.between;
    }
    count += set_apart(&errors, residuals + count);
    return point_error_of(residuals, count, assumed);
}

/* ---- mixtures, never fitted ---- */

struct validation {
    const struct incremental_program *like; /* the fitted programs */
    json_t *points;
    json_t *chart;   /* borrowed; error of each mixture */
    json_t *against; /* borrowed; predicted over measured */
    double sum, worst;
    const char *worst_name;
};

static bool was_seen(const json_t *points, const char *name)
{
    size_t i;
    json_t *point;
    json_array_foreach(points, i,
                       point) if (strcmp(json_string_or(point, "name", ""), name) == 0) return true;
    return false;
}

static void validate_one(const struct dataset *dataset, const char *name, json_t *document,
                         struct validation *validation)
{
    struct incremental_program mixture;
    struct error error;
    double costs[COSTS] = {0};
    struct interval cost;
    if (incremental_gather(dataset, width_of(document), "mixture", name, &mixture, &error) != STATUS_OK ||
        check_alike(validation->like, &mixture, &error) != STATUS_OK) {
        model_note(document, "mixture %s is left out: %s", name, error.message);
        return;
    }
    for (size_t i = 0; i < COSTS; i++)
        costs[i] = model_coefficient(document, incremental_names[i], &cost) ? cost.value : 0;
    double predicted = incremental_sum(mixture.counts, costs);
    double off = predicted / mixture.energy_j.value - 1;
    json_array_append_new(validation->points,
                          json_pack("{s:s, s:f, s:f, s:f, s:I}", "name", name, "measured_j",
                                    mixture.energy_j.value, "predicted_j", predicted, "error", off, "n",
                                    (json_int_t)mixture.rows));
    double percent = 100 * off;
    struct interval nj = in_nj((struct interval){predicted, predicted, predicted, 1});
    chart_bar(validation->chart, "error", name, (struct interval){percent, percent, percent, 1});
    chart_sample(validation->against, "mixtures", 1e9 * mixture.energy_j.value, nj);
    validation->sum += fabs(off);
    if (fabs(off) >= fabs(validation->worst) || validation->worst_name == NULL) {
        validation->worst = off;
        validation->worst_name = name;
    }
}

static void validate(const struct dataset *dataset, const struct fit *fit, json_t *document)
{
    const char *machine = name_of_machine(document);
    struct validation validation = {.like = &fit->of[MB_NOP], .points = json_array()};
    validation.against = chart_add(document, "Mixtures: predicted against measured", machine, "points",
                                   "Measured energy of a pass (nJ)", "Predicted (nJ)");
    validation.chart =
        chart_add(document, "Mixtures: error of the predicted energy", machine, "bars", "", "Error (%)");
    for (size_t i = 0; i < dataset->count; i++) {
        const char *name = dataset_text(&dataset->rows[i], "mixture");
        if (name != NULL && !was_seen(validation.points, name) &&
            (i == 0 || dataset->rows[i].point != dataset->rows[i - 1].point))
            validate_one(dataset, name, document, &validation);
    }
    size_t count = json_array_size(validation.points);
    chart_diagonal(validation.against, "equal");
    if (count == 0) {
        model_note(document, "this model is not validated: add results of data-movement-2013/mixtures");
        json_decref(validation.points);
        return;
    }
    if (fabs(validation.worst) > BELIEVED)
        model_disbelieve(document,
                         "do not trust this model: its prediction of the mixture %s, which was not fitted, "
                         "is off by %+.2f %%, more than %g %%",
                         validation.worst_name, 100 * validation.worst, 100 * BELIEVED);
    model_note(document, "mixtures, which were not fitted: the largest error is that of %s, %+.2f %%",
               validation.worst_name, 100 * validation.worst);
    json_object_set_new(document, "validation",
                        json_pack("{s:i, s:I, s:f, s:f, s:s, s:o}", "groups", 1, "rows", (json_int_t)count,
                                  "mean_absolute", validation.sum / (double)count, "worst",
                                  fabs(validation.worst), "worst_point", validation.worst_name, "points",
                                  validation.points));
}

/* ---- the fit ---- */

static bool has_l3(const json_t *document)
{
    return !recorded_machine_read(json_object_get(document, "machine")).lacks_l3;
}

static enum status gather(const struct dataset *dataset, json_t *document, struct fit *fit,
                          struct error *error)
{
    enum status status = STATUS_OK;
    size_t counted = 0;
    size_t expected = fit->has_l3 ? PROGRAMS : PROGRAMS - 1;
    double noisiest = 0;
    for (size_t i = 0; status == STATUS_OK && i < PROGRAMS; i++) {
        struct incremental_program *program = &fit->of[i];
        if (i == MB_L3 && !fit->has_l3)
            continue;
        status = incremental_gather(dataset, width_of(document), "program", programs[i].name, program, error);
        if (status == STATUS_OK)
            status = check_alike(&fit->of[MB_NOP], program, error);
        counted += program->counted_stalls;
        noisiest = fmax(noisiest, program->energy_j.error / program->energy_j.value);
    }
    if (status != STATUS_OK)
        return status;
    double *prefetches = &fit->of[MB_MEM64].counts[COST_PREFETCH];
    if (!(*prefetches > 0)) {
        for (size_t i = COST_L1; i <= COST_MEM; i++)
            *prefetches += fit->of[MB_MEM64].counts[i];
        model_note(document, "prefetches were not counted: one line per load of MB_MEM64 is assumed");
    }
    model_note(document, "stalls: %s",
               counted == 0          ? "derived from cycles"
               : counted == expected ? "counted"
                                     : "counted for some programs, derived from cycles for others");
    json_object_set_new(document, "quality", json_pack("{s:f}", "largest_error_percent", 100 * noisiest));
    return STATUS_OK;
}

/* One meter reads all programs: its noise for each is shrunk towards its noise over all. */
static void pool_noise(struct fit *fit)
{
    struct squeeze_variance variances[PROGRAMS] = {{0}};
    for (size_t i = 0; i < PROGRAMS; i++)
        if (fit->of[i].rows > 0)
            variances[i] = (struct squeeze_variance){fit->of[i].rep_variance * fit->of[i].passes_j2,
                                                     fit->of[i].rep_freedom};
    squeeze(variances, PROGRAMS);
    for (size_t i = 0; i < PROGRAMS; i++)
        if (variances[i].freedom > 0)
            incremental_set_noise(&fit->of[i], variances[i].variance / fit->of[i].passes_j2,
                                  variances[i].freedom);
}

/* A row for each program, with the sum of the costs that it determines; a row for each mixture, not fitted.
 */
static void add_program(const struct dataset *dataset, const struct incremental_program *program,
                        const double *costs, double factor, struct fitted *fitted)
{
    struct fitted_row *row = fitted_add(fitted);
    fitted_place(row, dataset, program->first->point);
    row->name = program->name;
    row->unlike = factor == 0;
    memcpy(row->x, program->counts, sizeof program->counts);
    row->x[COST_L1] *= factor > 0 ? factor : 1;
    row->measured = program->energy_j.value;
    row->predicted = incremental_sum(row->x, costs);
    row->own = hypot(program->energy_j.error, program->idle_error_j);
    row->freedom = (double)program->energy_j.freedom;
    row->whole = program->whole_j;
}

static void set_fitted(const struct dataset *dataset, const struct fit *fit, const json_t *document,
                       struct fitted *fitted)
{
    double costs[COSTS] = {0};
    struct interval cost;
    fitted_begin(fitted, "energy of a pass", "J", NULL);
    fitted->spread.columns = COSTS;
    fitted->spread.rows = fit->has_l3 ? PROGRAMS : PROGRAMS - 1;
    for (size_t i = 0; i < COSTS; i++) {
        snprintf(fitted->names[i], LINEAR_NAME_BYTES, "%s", incremental_names[i]);
        costs[i] = model_coefficient(document, incremental_names[i], &cost) ? cost.value : 0;
        fitted->spread.value[i] = costs[i];
    }
    for (size_t i = 0; i < PROGRAMS; i++)
        if (i != MB_L3 || fit->has_l3)
            add_program(dataset, &fit->of[i], costs, i == MB_L1 ? fit->factor : 1, fitted);
    for (size_t i = 0; i < dataset->count; i++) {
        struct incremental_program mixture;
        struct error error;
        const char *name = dataset_text(&dataset->rows[i], "mixture");
        bool seen = name == NULL;
        for (size_t j = 0; !seen && j < fitted->count; j++)
            seen = strcmp(fitted->rows[j].name, name) == 0;
        if (!seen &&
            incremental_gather(dataset, width_of(document), "mixture", name, &mixture, &error) == STATUS_OK &&
            check_alike(&fit->of[MB_NOP], &mixture, &error) == STATUS_OK)
            add_program(dataset, &mixture, costs, 0, fitted);
    }
    /* Each program determines one cost: no row is left to test the form by, and mixtures are its validation.
     */
    fitted->tested = true;
}

static enum status fit(const struct dataset *dataset, const struct model_settings *settings,
                       struct fitted *fitted, json_t *document, struct error *error)
{
    struct fit fit = {.has_l3 = has_l3(document)};
    enum status status = choose_factor(settings, document, &fit.factor, error);
    if (status == STATUS_OK)
        status = gather(dataset, document, &fit, error);
    if (status == STATUS_OK)
        status = check_served(&fit, error);
    if (status == STATUS_OK)
        status = check_stalls(&fit, error);
    if (status != STATUS_OK)
        return status;
    pool_noise(&fit);
    const struct point_error shift =
        error_of_points(dataset, &fit, point_error_assumed(&model_incremental, settings), document);
    point_error_tell(shift, document);
    set_coefficients(&fit, &shift, document);
    set_fitted(dataset, &fit, document, fitted);
    draw_costs(document);
    validate(dataset, &fit, document);
    return STATUS_OK;
}

static const struct model_setting_row settings_rows[] = {
    {"factor", "loads per cycle that a core can issue beyond those of MB_L1, (W L - 1) / L", NAN},
    POINT_ERROR_SETTING,
    {0},
};

static const char *const fit_only[] = {"factor", "point_error", NULL};

static const struct model_bound bounds[] = {
    {"E_*", "possible causes: energies in another unit, mixed-up program names or loop lengths, a clock that "
            "changed, an idle level that is too high, or stalls counted for a program that has none"},
    {"P_dram", "the chip's meter reads more than the external one: are they swapped?"},
    {NULL, NULL}};

const struct model model_incremental = {
    .name = "incremental",
    .title = "energy of moving data, level by level, of stalls and of prefetches (Kestor et al. 2013)",
    .page =
        "From the recipes data-movement-2013/programs (fitted) and mixtures (predicted, never fitted). Each "
        "program\n"
        "repeats one operation; its energy above idle is divided among its operations:\n"
        "  E_NOP, E_ADD, E_L1 = E / N, from MB_NOP, MB_iADD and MB_L1asm, which do not stall\n"
        "  E_stall = (E_MB_L1 - factor * E_L1 * N_L1) / N_stall, factor = (W L - 1) / L for W loads per "
        "cycle\n"
        "            and L cycles to L1: 1.75 on the paper's machine; --set factor=X sets it\n"
        "  E_L2, E_L3, E_MEM = (E - E_stall * N_stall - loads from the levels before) / N\n"
        "  E_prefetch = (E_MB_MEM64 - E_stall * N_stall) / prefetched lines\n"
        "  P_dram: power that an external meter sees and the chip's does not, without fans\n"
        "N_stall is counted (stall_cycles); otherwise it is the cycles in which nothing is issued. A level's "
        "cost\n"
        "covers the way to the register; an increment is the step from the previous level.\n"
        "\n"
        "Assumes that costs add up, that a stalled cycle costs the same whatever it waits for, and that "
        "each\n"
        "program does what it states (trauma check reports this). Do not trust it where mixtures are off by "
        "more\n"
        "than a few percent, where MB_L1asm also stalls, or where the clock changed between programs; nor\n"
        "E_prefetch where the prefetcher was not counted and does not follow 64-byte steps.\n"
        "\n"
        "predict takes accesses.L1, l1d_misses, l2_misses, l3_misses, prefetches, stall_cycles, and "
        "energy_j,\n"
        "static_w and seconds for the remainder. Comparing the energy of prefetches with that of loads from "
        "L1\n"
        "shows how much of what is prefetched is used: every value that is used is loaded from L1.\n",
    .settings = settings_rows,
    .fit_only = fit_only,
    .bounds = bounds,
    .label = label,
    .of_processors = true,
    .fit = fit,
    .predict = incremental_predict,
};
