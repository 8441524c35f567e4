/* The model "incremental" (Kestor et al. 2013): the energy of each operation, level by level, from programs
 * of one operation each. The cost of a level is its program's energy less the costs determined before. */
#include "model/incremental/incremental.h"

#include "base/memory.h"
#include "model/chart.h"
#include "model/data/pooled.h"
#include "model/fitting/algebra.h"
#include "model/fitting/form.h"
#include "model/fitting/point_fit.h"
#include "model/fitting/squeeze.h"
#include "runner/results/recorded_machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The coefficient of each cost. */
static const char *const incremental_names[COSTS] = {"E_NOP", "E_ADD", "E_L1",    "E_L2",
                                                     "E_L3",  "E_MEM", "E_stall", "E_prefetch"};
/* The cost of a level above that of the level before it; of L1 its own cost. */
static const char *const incremental_increments[4] = {"increment.L1", "increment.L2", "increment.L3",
                                                      "increment.MEM"};

enum { MB_NOP, MB_ADD, MB_L1ASM, MB_L1, MB_L2, MB_L3, MB_MEM, MB_MEM64, PROGRAMS };
static const struct {
    const char *name;
    enum incremental_cost cost; /* the cost that it determines */
    bool loads;                 /* its loads are all served by one level */
} programs[PROGRAMS] = {
    [MB_NOP] = {"MB_NOP", COST_NOP, false},   [MB_ADD] = {"MB_iADD", COST_ADD, false},
    [MB_L1ASM] = {"MB_L1asm", COST_L1, true}, [MB_L1] = {"MB_L1", COST_STALL, true},
    [MB_L2] = {"MB_L2", COST_L2, true},       [MB_L3] = {"MB_L3", COST_L3, true},
    [MB_MEM] = {"MB_MEM", COST_MEM, true},    [MB_MEM64] = {"MB_MEM64", COST_PREFETCH, true},
};

/* The least share of a program's loads that its level must serve. The paper's lowest value is 0.9918. */
static const double SERVED = 0.95;

/* The members of the document that only this model has. */
struct incremental_own {
    double factor;
};

/* The model is not believed if its prediction of a mixture is off by a larger share. */
static const double BELIEVED = 0.05;

/* MB_L1asm may have at most this share of the stalls per load of MB_L1. */
static const double STALLS_APART = 0.1;

struct incremental_fit {
    const struct dataset *dataset;
    struct incremental_point *points; /* of programs, then mixtures, then programs with copies; owned */
    size_t programs, mixed, count;    /* the ends of these three parts */
    size_t which[PROGRAMS];           /* the first point of each program */
    double factor;
    enum incremental_cost columns[COSTS]; /* of the regression */
    size_t column_count;
};

static const struct incremental_point *point_of(const struct incremental_fit *fit, size_t program)
{
    return &fit->points[fit->which[program]];
}

/* The program of that name; PROGRAMS: none. */
static size_t program_of(const struct incremental_point *point)
{
    size_t which = 0;
    while (which < PROGRAMS && strcmp(programs[which].name, point->name) != 0)
        which++;
    return which;
}

static bool has_l3(const struct incremental_fit *fit)
{
    return fit->column_count == COSTS;
}

/* ---- from points to costs ---- */

/* Rows of the regression. They are powers, so that a power that any running program draws is a constant. */
struct power_rows {
    double *numbers, *x, *y, *own, *whole;
    const char *names[COSTS];
    struct linear_data data;
    double freedom; /* of own */
};

/* The operations among which the point's energy is divided: for a program, those of its level, of the levels
 * before it and, where it waits, stalls. The loads of MB_L1, which waits with free ports, cost more by a
 * factor (section IV.B). */
static void set_parts(const struct incremental_fit *fit, const struct incremental_point *point,
                      double *counts)
{
    size_t which = program_of(point);
    memcpy(counts, point->counts, sizeof point->counts);
    if (which == PROGRAMS)
        return;
    enum incremental_cost own = programs[which].cost;
    for (size_t i = 0; i < COSTS; i++) {
        bool before = i >= COST_L1 && i < own && own <= COST_MEM;
        bool waits = i == COST_STALL && own > COST_L1;
        if (i != own && !before && !waits)
            counts[i] = 0;
    }
    if (which == MB_L1)
        counts[COST_L1] = fit->factor * point->counts[COST_L1];
}

/* The variance of a point's power, including that of its stalls times their cost. */
static double own_variance(const struct incremental_point *point, double stall_j)
{
    return point->variance + pow(point->idle_error_w, 2) +
           pow(stall_j * point->stall_error / point->seconds, 2);
}

/* A variance with this many degrees of freedom counts as known. */
static const double KNOWN = 1000;

/* Makes rows of the first `count` points, except those that are left out (NULL: none). Free rows.numbers. */
static struct power_rows make_rows(const struct incremental_fit *fit, size_t count, const bool *left_out,
                                   double stall_j)
{
    size_t n = fit->column_count;
    struct power_rows rows = {.numbers = algebra_numbers((n + 3) * count + 1)};
    double own = 0, over = 0;
    rows.x = rows.numbers;
    rows.y = rows.x + n * count;
    rows.own = rows.y + count;
    rows.whole = rows.own + count;
    for (size_t j = 0; j < n; j++)
        rows.names[j] = incremental_names[fit->columns[j]];
    for (size_t i = 0; i < count; i++) {
        const struct incremental_point *point = &fit->points[i];
        size_t row = rows.data.rows;
        double counts[COSTS];
        if (left_out != NULL && left_out[i])
            continue;
        set_parts(fit, point, counts);
        for (size_t j = 0; j < n; j++)
            rows.x[row * n + j] = counts[fit->columns[j]] / point->seconds;
        rows.y[row] = point->watts;
        rows.own[row] = own_variance(point, stall_j);
        rows.whole[row] = point->whole_w;
        own += rows.own[row];
        over += point->freedom > 0 ? pow(point->variance, 2) / point->freedom : 0;
        rows.data.rows++;
    }
    /* The degrees of freedom of a mean row, as most costs depend on a single one. The variance of idle levels
     * counts as known, as they have many readings. */
    rows.freedom = over > 0 ? fmin(KNOWN, own * own / over / (double)rows.data.rows) : KNOWN;
    rows.data.columns = n;
    rows.data.x = rows.x;
    rows.data.y = rows.y;
    rows.data.names = rows.names;
    return rows;
}

/* Fits the costs to the programs alone, at that error of whole points. */
static enum status fit_programs(const struct incremental_fit *fit, const struct point_error *shift,
                                double stall_j, struct linear_fit *fitted, struct spread *spread,
                                struct error *error)
{
    struct power_rows rows = make_rows(fit, fit->programs, NULL, stall_j);
    const struct point_fit points = {&rows.data, rows.own, rows.freedom, rows.whole};
    enum status status = point_fit_spread(&points, shift, NULL, fitted, spread, error);
    free(rows.numbers);
    return status;
}

static double value_of(const struct incremental_fit *fit, const struct spread *spread,
                       enum incremental_cost cost)
{
    for (size_t j = 0; j < fit->column_count; j++)
        if (fit->columns[j] == cost)
            return spread->value[j];
    return 0;
}

/* A mixture that is off by more standard errors, at twice the assumed error, shows that costs do not add up:
 * it does not serve to estimate the error of whole points. */
static const double ADDS_UP = 3;

static bool adds_up(const struct incremental_fit *fit, const struct incremental_point *mixture,
                    const struct spread *spread, double share)
{
    double weights[LINEAR_COLUMNS] = {0};
    double variance =
        own_variance(mixture, value_of(fit, spread, COST_STALL)) + pow(share * mixture->whole_w, 2);
    double predicted = 0;
    for (size_t j = 0; j < fit->column_count; j++) {
        weights[j] = mixture->counts[fit->columns[j]] / mixture->seconds;
        predicted += weights[j] * spread->value[j];
        for (size_t k = 0; k <= j; k++)
            variance +=
                (k < j ? 2 : 1) * weights[j] * weights[k] * spread->covariance[j * fit->column_count + k];
    }
    return pow(mixture->watts - predicted, 2) <= ADDS_UP * ADDS_UP * variance;
}

/* Estimates the error of whole points from repeated programs, and from mixtures compared with the sums of
 * their parts. */
static enum status error_of_points(const struct incremental_fit *fit, double assumed,
                                   struct point_error *found, struct error *error)
{
    struct linear_fit fitted;
    struct spread spread;
    const struct point_error twice = {2 * assumed, INFINITY, true};
    bool *left_out = memory_zeroed(fit->count + 1, sizeof *left_out);
    struct point_residual *residuals = memory_zeroed(fit->count + 1, sizeof *residuals);
    enum status status = fit_programs(fit, &twice, 0, &fitted, &spread, error);
    for (size_t i = fit->programs; status == STATUS_OK && i < fit->count; i++)
        left_out[i] = !adds_up(fit, &fit->points[i], &spread, 2 * assumed);
    if (status == STATUS_OK) {
        struct power_rows rows = make_rows(fit, fit->count, left_out, value_of(fit, &spread, COST_STALL));
        const struct point_fit points = {&rows.data, rows.own, rows.freedom, rows.whole};
        status = point_fit_error(&points, assumed, residuals, found, error);
        free(rows.numbers);
    }
    free(left_out);
    free(residuals);
    return status;
}

/* The interval of the weighted sum times `share`: the spread's own interval has the fewest degrees of freedom
 * of all costs. */
static struct interval narrowed(const struct spread *spread, const double *weights, double share)
{
    struct interval sum = spread_sum(spread, weights);
    double half = share * (sum.high - sum.value);
    return (struct interval){sum.value, sum.value - half, sum.value + half, sum.n};
}

/* narrower[columns]: the width of each cost's interval over the width with the fewest degrees of freedom. */
static void set_coefficients(const struct incremental_fit *fit, const struct spread *spread,
                             const double *narrower, struct model_result *result)
{
    struct interval dram = {0};
    double points = 0;
    size_t before = 0;
    for (size_t j = 0; j < fit->column_count; j++) {
        enum incremental_cost cost = fit->columns[j];
        double weights[LINEAR_COLUMNS] = {0};
        weights[j] = 1;
        struct interval value = narrowed(spread, weights, narrower[j]);
        value.n = 0;
        for (size_t i = 0; i < fit->programs; i++)
            if (programs[program_of(&fit->points[i])].cost == cost)
                value.n += fit->points[i].reps;
        model_set_coefficient(result, incremental_names[cost], value,
                              cost == COST_STALL ? "J/cycle" : "J/operation");
        if (value.low <= 0)
            model_note(result, "%s cannot be distinguished from 0: measure longer, or more repetitions",
                       incremental_names[cost]);
    }
    for (size_t j = 0; j < fit->column_count; j++) {
        enum incremental_cost cost = fit->columns[j];
        double weights[LINEAR_COLUMNS] = {0};
        struct interval own;
        if (cost < COST_L1 || cost > COST_MEM)
            continue;
        weights[j] = 1;
        if (cost > COST_L1)
            weights[before] = -1;
        struct interval step = narrowed(spread, weights, fmax(narrower[j], narrower[before]));
        model_coefficient(result, incremental_names[cost], &own);
        step.n = own.n;
        model_set_coefficient(result, incremental_increments[cost - COST_L1], step, "J/operation");
        before = j;
    }
    for (size_t i = 0; i < fit->programs; i++) {
        const struct incremental_point *point = &fit->points[i];
        if (program_of(point) != MB_MEM || !isfinite(point->dram_w.value))
            continue;
        points++;
        dram.value += point->dram_w.value;
        dram.high = hypot(dram.high, point->dram_w.high - point->dram_w.value);
        dram.n += point->reps;
    }
    if (points > 0) {
        double half = dram.high / points;
        dram.value /= points;
        model_set_coefficient(result, "P_dram",
                              (struct interval){dram.value, dram.value - half, dram.value + half, dram.n},
                              "W/thread");
    } else
        model_note(result, "P_dram and the power of fans are unknown: they need an external meter and one "
                           "of the chip together");
}

static const char *name_of_machine(const struct model_result *result)
{
    return result->machine.name == NULL ? "" : result->machine.name;
}

/* Draws the paper's table II as bars. */
static void draw_costs(struct model_result *result)
{
    static const char *const words[COSTS] = {"NOP",       "ADD",        "L1 to REG", "L2 to REG",
                                             "L3 to REG", "MEM to REG", "stall",     "prefetch"};
    const char *machine = name_of_machine(result);
    struct chart *chart =
        model_chart(result, CHART_BARS, "Energy of one operation, and increment over the previous level",
                    machine, "", "Energy (nJ)");
    struct interval cost;
    for (size_t i = 0; i < COSTS; i++)
        if (model_coefficient(result, incremental_names[i], &cost))
            chart_bar(chart, "operation", words[i], interval_times(cost, 1e9));
    for (size_t i = 0; i < 4; i++)
        if (model_coefficient(result, incremental_increments[i], &cost))
            chart_bar(chart, "increment", words[COST_L1 + i], interval_times(cost, 1e9));
}

/* ---- requirements on the data ---- */

static enum status check_served(const struct incremental_fit *fit, struct error *error)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        if (i == MB_L3 && !has_l3(fit))
            continue;
        const double *counts = point_of(fit, i)->counts;
        enum incremental_cost own = i == MB_L1 ? COST_L1 : programs[i].cost;
        double loads = counts[COST_L1] + counts[COST_L2] + counts[COST_L3] + counts[COST_MEM];
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

/* Refuses programs whose stalls do not determine the cost of a stall: no stalls in MB_L1, or in MB_L1asm too,
 * so that loads and stalls are proportional; or fewer in a chase of a farther level. */
static enum status check_stalls(const struct incremental_fit *fit, struct error *error)
{
    const struct incremental_point *waits = point_of(fit, MB_L1);
    const struct incremental_point *flows = point_of(fit, MB_L1ASM);
    double waiting = waits->counts[COST_STALL] / waits->counts[COST_L1];
    double flowing = flows->counts[COST_STALL] / flows->counts[COST_L1];
    if (!(waiting > 0))
        return error_set(
            error, STATUS_USAGE,
            "MB_L1 does not stall (%.3g cycles per load): nothing determines the cost of a stall", waiting);
    static const size_t chases[] = {MB_L2, MB_L3, MB_MEM};
    for (size_t i = 0; i < sizeof chases / sizeof chases[0]; i++) {
        if (chases[i] == MB_L3 && !has_l3(fit))
            continue;
        const struct incremental_point *chase = point_of(fit, chases[i]);
        double own = chase->counts[COST_STALL] / chase->counts[programs[chases[i]].cost];
        if (own >= waiting)
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
              "loads from L1 and stalls are proportional: %.3g stalls per load in MB_L1asm, %.3g in MB_L1; "
              "their costs cannot be separated",
              flowing, waiting);
    error_hint(error, "MB_L1asm should fill every cycle: is its core shared, or does its clock differ?");
    return STATUS_USAGE;
}

static enum status choose_factor(const struct model_settings *settings, struct model_result *result,
                                 double *factor, struct error *error)
{
    double width = result->machine.load_ports, latency = result->machine.latency_l1d;
    *factor = model_setting(model_incremental.settings, settings, "factor");
    if (isfinite(*factor)) {
        model_note(result, "factor %.4g: as set", *factor);
    } else if (width > 0 && latency > 0) {
        *factor = (width * latency - 1) / latency;
        model_note(result, "factor %.4g = (%g * %g - 1) / %g, from %g loads per cycle and %g cycles to L1",
                   *factor, width, latency, latency, width, latency);
    } else {
        error_set(error, STATUS_USAGE, "the machine's description lacks %s",
                  width > 0 ? "latency = { L1D = CYCLES }" : "ports = { load = LOADS_A_CYCLE }");
        error_hint(error,
                   "trauma machine probe measures it; or --set factor=1.75, as on the paper's machine");
        return STATUS_USAGE;
    }
    ((struct incremental_own *)result->own)->factor = *factor;
    model_states(result, "factor");
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

/* Whether the recipe states the number of copies: such programs vary the chip's load, and serve to test the
 * form. */
static bool has_copies(const struct dataset_row *row)
{
    return isfinite(result_parameter(row->point, "copies"));
}

/* Refuses points that differ in the clock, or in another parameter of the sweep: costs hold for one value of
 * each. */
static enum status check_alike(const struct incremental_point *first, const struct incremental_point *other,
                               struct error *error)
{
    const char *const named[] = {"program", "mixture", has_copies(other->first) ? "copies" : NULL, NULL};
    enum status status = pooled_clock(first->first, other->first, error);
    if (status == STATUS_OK)
        status = pooled_check(first->first, other->first, other->name, named,
                              strcmp(first->name, other->name) == 0, error);
    return status;
}

/* ---- mixtures, never fitted ---- */

static struct model_mixture validate_one(const struct incremental_point *mixture, const double *costs,
                                         struct chart *errors, struct chart *against)
{
    double measured = mixture->watts * mixture->seconds, predicted = 0;
    for (size_t i = 0; i < COSTS; i++)
        predicted += mixture->counts[i] * costs[i];
    double off = predicted / measured - 1;
    double percent = 100 * off;
    struct interval nj = interval_times(interval_exact(predicted), 1e9);
    chart_bar(errors, "error", mixture->name, interval_exact(percent));
    chart_sample(against, "mixtures", 1e9 * measured, nj);
    return (struct model_mixture){mixture->name, measured, predicted, off, mixture->reps};
}

static void validate(const struct incremental_fit *fit, const double *costs, struct model_result *result)
{
    const char *machine = name_of_machine(result);
    struct model_validation *to = &result->validation;
    const struct model_mixture *worst = NULL;
    double sum = 0;
    size_t count = fit->mixed - fit->programs;
    struct chart *against = model_chart(result, CHART_POINTS, "Mixtures: predicted against measured", machine,
                                        "Measured energy of a pass (nJ)", "Predicted (nJ)");
    struct chart *errors =
        model_chart(result, CHART_BARS, "Mixtures: error of the predicted energy", machine, "", "Error (%)");
    *to = (struct model_validation){.groups = 1,
                                    .rows = count,
                                    .whole_mean_absolute = NAN,
                                    .dynamic_mean_absolute = NAN,
                                    .mixtures = arena_alloc(&result->arena, count, sizeof *to->mixtures),
                                    .of_mixtures = true};
    for (size_t i = 0; i < count; i++) {
        struct model_mixture *mixture = &to->mixtures[to->mixture_count++];
        *mixture = validate_one(&fit->points[fit->programs + i], costs, errors, against);
        mixture->name = arena_strdup(&result->arena, mixture->name);
        sum += fabs(mixture->error);
        worst = worst == NULL || fabs(mixture->error) >= fabs(worst->error) ? mixture : worst;
    }
    chart_diagonal(against, "equal");
    if (worst == NULL) {
        model_note(result, "this model is not validated: add results of data-movement-2013/mixtures");
        return;
    }
    if (fabs(worst->error) > BELIEVED)
        model_disbelieve(result,
                         "do not trust this model: its prediction of the mixture %s, which was not fitted, "
                         "is off by %+.2f %%, more than %g %%",
                         worst->name, 100 * worst->error, 100 * BELIEVED);
    model_note(result, "mixtures, which were not fitted: the largest error is that of %s, %+.2f %%",
               worst->name, 100 * worst->error);
    to->mean_absolute = sum / (double)count;
    to->worst = fabs(worst->error);
    to->worst_point = worst->name;
    model_states(result, "validation");
}

/* ---- the fit ---- */

/* Adds the points that are named by that parameter, with or without a number of copies. Points that are not
 * fitted are left out, with a note, if they lack a value or do not match the others. */
static enum status gather(struct incremental_fit *fit, const char *parameter, bool copies,
                          struct model_result *result, struct error *error)
{
    const struct dataset *dataset = fit->dataset;
    enum status status = STATUS_OK;
    bool mixtures = strcmp(parameter, "mixture") == 0, fitted = fit->count == 0 || !(mixtures || copies);
    for (size_t i = 0, next; status == STATUS_OK && i < dataset->count; i = next) {
        struct incremental_point point = {.name = dataset_text(&dataset->rows[i], parameter)};
        next = dataset_point_end(dataset, i);
        if (point.name == NULL || (program_of(&point) == PROGRAMS) != mixtures ||
            has_copies(&dataset->rows[i]) != copies ||
            (!mixtures && program_of(&point) == MB_L3 && !has_l3(fit)))
            continue;
        status = incremental_gather(&dataset->rows[i], next - i, result->machine.issue_width, parameter,
                                    &point, error);
        for (size_t j = 0; status == STATUS_OK && j < fit->count; j++)
            if (j == 0 || strcmp(fit->points[j].name, point.name) == 0)
                status = check_alike(&fit->points[j], &point, error);
        if (status == STATUS_OK) {
            fit->points = memory_next(fit->points, fit->count, sizeof *fit->points);
            fit->points[fit->count++] = point;
        } else if (!fitted) {
            model_note(result, "%s %s is left out: %s", copies ? "copies of" : "mixture", point.name,
                       error->message);
            status = STATUS_OK;
        }
    }
    return status;
}

static enum status find_programs(struct incremental_fit *fit, struct error *error)
{
    for (size_t which = 0; which < PROGRAMS; which++) {
        size_t reps = 0;
        for (size_t i = fit->count; i > 0; i--)
            if (program_of(&fit->points[i - 1]) == which) {
                fit->which[which] = i - 1;
                reps += fit->points[i - 1].reps;
            }
        if (reps > 1 || (which == MB_L3 && !has_l3(fit)))
            continue;
        if (reps == 1) {
            error_set(error, STATUS_USAGE, "%s has one repetition: its noise is unknown",
                      programs[which].name);
            error_hint(error, "run it with --reps 3 or more");
        } else {
            error_set(error, STATUS_USAGE, "there are no results for %s", programs[which].name);
            error_hint(error, "trauma run data-movement-2013/programs measures all that the model needs");
        }
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* Assumes one prefetch per load in MB_MEM64 if prefetches were not counted; returns whether it did. */
static bool assume_prefetches(struct incremental_point *point)
{
    bool assumed = program_of(point) == MB_MEM64 && !(point->counts[COST_PREFETCH] > 0);
    for (size_t j = COST_L1; assumed && j <= COST_MEM; j++)
        point->counts[COST_PREFETCH] += point->counts[j];
    return assumed;
}

static void note_counts(struct incremental_fit *fit, struct model_result *result)
{
    size_t counted = 0;
    double noisiest = 0;
    bool assumed = false;
    for (size_t i = 0; i < fit->programs; i++) {
        struct incremental_point *point = &fit->points[i];
        counted += point->counted_stalls;
        noisiest = fmax(noisiest, sqrt(point->variance) / point->watts);
        assumed = assume_prefetches(point) || assumed;
    }
    if (assumed)
        model_note(result, "prefetches were not counted: one line per load of MB_MEM64 is assumed");
    model_note(result, "stalls: %s",
               counted == 0               ? "derived from cycles"
               : counted == fit->programs ? "counted"
                                          : "counted for some programs, derived from cycles for others");
    model_set_quality(result, "largest_error_percent", 100 * noisiest, false);
}

/* Shrinks the noise of each point towards that of all, as one meter read them. Its readings have independent
 * errors, so that the variance of their mean falls with the length and number of repetitions. */
static void pool_noise(struct incremental_fit *fit)
{
    struct squeeze_variance *variances = memory_zeroed(fit->count + 1, sizeof *variances);
    for (size_t i = 0; i < fit->count; i++) {
        const struct incremental_point *point = &fit->points[i];
        variances[i] = (struct squeeze_variance){point->variance * point->length_s * (double)point->reps,
                                                 point->freedom};
    }
    squeeze(variances, fit->count);
    for (size_t i = 0; i < fit->count; i++) {
        struct incremental_point *point = &fit->points[i];
        point->variance = variances[i].variance / point->length_s / (double)point->reps;
        point->freedom = variances[i].freedom;
    }
    free(variances);
}

/* Tests the form with all points: a program alone determines one cost, and leaves no residual. */
static void test_form(const struct incremental_fit *fit, const double *costs, struct spread *spread,
                      struct fitted *fitted, struct model_result *result)
{
    struct power_rows rows = make_rows(fit, fit->count, NULL, costs[COST_STALL]);
    fitted_begin(fitted, "dynamic power", "W", NULL);
    fitted->spread = *spread;
    for (size_t j = 0; j < fit->column_count; j++)
        snprintf(fitted->names[j], LINEAR_NAME_BYTES, "%s", rows.names[j]);
    for (size_t i = 0; i < fit->count; i++) {
        struct fitted_row *row = fitted_add(fitted);
        fitted_place(row, fit->dataset, fit->points[i].first->point);
        memcpy(row->x, rows.x + i * fit->column_count, fit->column_count * sizeof *row->x);
        row->measured = rows.y[i];
        for (size_t j = 0; j < fit->column_count; j++)
            row->predicted += row->x[j] * spread->value[j];
        row->own = sqrt(rows.own[i]);
        row->freedom = fit->points[i].freedom;
        row->whole = row->watts = rows.whole[i];
    }
    free(rows.numbers);
    form_test(fitted, result);
    *spread = fitted->spread;
}

/* Disbelieves the model unless a program ran with another number of copies: all programs draw about the same
 * power, so that only other copies reveal power that any running program draws, and costs that depend on the
 * power. */
static void judge_copies(const struct incremental_fit *fit, struct model_result *result)
{
    static const double APART = 1.3;
    for (size_t i = fit->mixed; i < fit->count; i++) {
        double ratio = fit->points[i].watts / point_of(fit, program_of(&fit->points[i]))->watts;
        if (ratio > APART || ratio < 1 / APART)
            return;
    }
    model_disbelieve(
        result, "do not trust this model's form, which is not tested: each program ran with one number of "
                "copies, so that the costs may include power that any running program draws, or depend on "
                "the power; the benchmark copies of data-movement-2013/programs measures this");
}

static enum status fit_costs(struct incremental_fit *fit, double assumed, struct fitted *fitted,
                             struct model_result *result, struct error *error)
{
    struct linear_fit found;
    struct spread spread;
    struct point_error shift;
    double costs[COSTS] = {0}, narrower[COSTS];
    enum status status = error_of_points(fit, assumed, &shift, error);
    if (status == STATUS_OK)
        status = fit_programs(fit, &shift, 0, &found, &spread, error);
    if (status == STATUS_OK) /* the stalls' errors count at their cost */
        status = fit_programs(fit, &shift, value_of(fit, &spread, COST_STALL), &found, &spread, error);
    if (status != STATUS_OK)
        return status;
    point_error_report(shift, result);
    for (size_t i = 0; i < COSTS; i++)
        costs[i] = value_of(fit, &spread, i);
    for (size_t j = 0; j < fit->column_count; j++) {
        double one[LINEAR_COLUMNS] = {0};
        one[j] = 1;
        double fewest = spread_sum(&spread, one).high - found.value[j];
        narrower[j] = fewest > 0 ? (found.interval[j].high - found.value[j]) / fewest : 1;
    }
    test_form(fit, costs, &spread, fitted, result);
    judge_copies(fit, result);
    set_coefficients(fit, &spread, narrower, result);
    draw_costs(result);
    validate(fit, costs, result);
    return STATUS_OK;
}

static enum status fit(const struct dataset *dataset, const struct model_settings *settings,
                       struct fitted *fitted, struct model_result *result, struct error *error)
{
    struct incremental_fit fit = {.dataset = dataset};
    bool lacks_l3 = result->machine.lacks_l3;
    for (enum incremental_cost i = 0; i < COSTS; i++)
        if (i != COST_L3 || !lacks_l3)
            fit.columns[fit.column_count++] = i;
    enum status status = choose_factor(settings, result, &fit.factor, error);
    if (status == STATUS_OK)
        status = gather(&fit, "program", false, result, error);
    if (status == STATUS_OK)
        status = find_programs(&fit, error);
    if (status == STATUS_OK) {
        fit.programs = fit.count;
        note_counts(&fit, result);
        status = check_served(&fit, error);
    }
    if (status == STATUS_OK)
        status = check_stalls(&fit, error);
    if (status == STATUS_OK)
        status = gather(&fit, "mixture", false, result, error);
    fit.mixed = fit.count;
    if (status == STATUS_OK)
        status = gather(&fit, "program", true, result, error);
    for (size_t i = fit.mixed; i < fit.count; i++)
        assume_prefetches(&fit.points[i]);
    if (status == STATUS_OK) {
        pool_noise(&fit);
        status =
            fit_costs(&fit, point_error_assumed(model_incremental.settings, settings), fitted, result, error);
    }
    free(fit.points);
    return status;
}

static const struct model_setting_row settings_rows[] = {
    {"factor", "loads per cycle that a core can issue besides those of MB_L1, (W L - 1) / L", NAN},
    POINT_ERROR_SETTING,
    {0},
};

static const struct field_row own_rows[] = {FIELD_ROW(incremental_own, "factor", FIELD_REAL, factor), {0}};

static const char *const fit_only[] = {"factor", "point_error", NULL};

static const struct model_bound bounds[] = {
    {"E_*", "possible causes: energies in another unit, mixed-up program names or loop lengths, a clock that "
            "changed, an idle level that is too high, or stalls counted for a program that has none"},
    {"P_dram", "the chip's meter reads more than the external one: are they swapped?"},
    {NULL, NULL}};

const struct model model_incremental = {
    .name = "incremental",
    .title = "energy of moving data, level by level, of stalls and of prefetches (Kestor et al. 2013)",
    .page = "From the recipes data-movement-2013/programs (fitted) and mixtures (predicted, never fitted).\n"
            "Each program repeats one operation; its energy above idle is divided among its operations:\n"
            "  E_NOP, E_ADD, E_L1 = E / N, from MB_NOP, MB_iADD and MB_L1asm, which do not stall\n"
            "  E_stall = (E_MB_L1 - factor * E_L1 * N_L1) / N_stall, factor = (W L - 1) / L for W loads per\n"
            "            cycle and L cycles to L1: 1.75 on the paper's machine; --set factor=X sets it\n"
            "  E_L2, E_L3, E_MEM = (E - E_stall * N_stall - loads from the levels before) / N\n"
            "  E_prefetch = (E_MB_MEM64 - E_stall * N_stall) / prefetched lines\n"
            "  P_dram: power that an external meter reads and the chip's does not, without fans\n"
            "N_stall is counted (stall_cycles); otherwise it is the cycles in which nothing is issued. A\n"
            "level's cost includes the way to the register; an increment is the step from the previous\n"
            "level.\n"
            "\n"
            "The model assumes that costs add up, that a stalled cycle costs the same whatever its cause,\n"
            "and that each program does what it states (trauma check reports this). Do not trust it where\n"
            "mixtures are off by more than a few percent, where MB_L1asm also stalls, or where the clock\n"
            "changed between programs. Do not trust E_prefetch where the prefetcher was not counted and\n"
            "does not follow 64-byte steps.\n"
            "\n"
            "All programs draw about the same power, so that they do not reveal power that any running\n"
            "program draws, and costs that depend on the power: the same programs on fewer cores (copies)\n"
            "test the form for these, and the first line reports when they are missing. An error of the\n"
            "meter's gain that is equal at every power is in every cost, and no test finds it.\n"
            "\n"
            "predict takes accesses.L1, l1d_misses, l2_misses, l3_misses, prefetches, stall_cycles, and\n"
            "energy_j, static_w and seconds for the remainder. Comparing the energy of prefetches with that\n"
            "of loads from L1 shows how much prefetched data is used: every value that is used is loaded\n"
            "from L1.\n",
    .settings = settings_rows,
    .own_rows = own_rows,
    .own_size = sizeof(struct incremental_own),
    .fit_only = fit_only,
    .bounds = bounds,
    .label = label,
    .of_processors = true,
    .design = &design_of_incremental,
    .fit = fit,
    .predict = incremental_predict,
};
