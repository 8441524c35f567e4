/* Fits dynamic power: the weighted sum of the events. Weights of the cores' own events scale with (V /
 * Vref)^alpha. */
#include "base/memory.h"
#include "model/fitting/algebra.h"
#include "model/fitting/form.h"
#include "model/fitting/point_fit.h"
#include "model/ppep/ppep.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SAME_VOLTS = 1e-3;
static const double LEAST_ALPHA = 0, MOST_ALPHA = 8, GOLDEN = 0.6180339887498949;
static const double SETTLED_ALPHA = 1e-8;
enum { NARROWINGS = 40, STEPS = 20, ROUNDS = 4, CORRECTIONS = 20 };

static const char AWAKE[] = "awake";

/* The least noise, as a share of the whole power: noise-free numbers need a finite weight. */
static const double AS_EXACT = 1e-7;

/* Whether the point's idle power is that of the idle model. */
static bool by_model(const struct ppep_model *model, const struct ppep_point *point)
{
    return model->has_idle && isfinite(point->celsius);
}

double ppep_dynamic(const struct ppep_model *model, const struct ppep_point *point)
{
    double idle = by_model(model, point) ? idle_at(&model->idle, point->vf.volts, point->celsius).value
                                         : point->static_w;
    return point->total_w - idle;
}

/* The problem at one alpha; x and y are owned. */
struct problem {
    const struct ppep_power *power;
    double *x, *y;
    double *volts; /* of each row */
    size_t rows;
    const struct ppep_point **points; /* of each row */
    double *rounding;                 /* how far each error of the thermometer's steps moves each row, W */
    size_t roundings;
    double *meter; /* variance of each row's power from the meter's noise */
    double *own;   /* meter, and the variance from the counters' errors */
    double *whole; /* the meter's whole reading */
    double meter_freedom, own_freedom;
    double *variance;          /* the inverse weights of the rows in the search for alpha */
    const struct spread *idle; /* of the idle model that was subtracted; NULL: none */
    double *idle_rows;         /* the columns of that model for each row */
};

static double scale_of(const struct ppep_power *power, size_t event, double volts, double alpha)
{
    bool scaled = ppep_events[event].scaled && isfinite(alpha);
    return scaled ? pow(volts / power->volts, alpha) : 1;
}

/* The number of columns without that of alpha. */
static size_t linear_columns(const struct ppep_power *power)
{
    return power->events + power->awake;
}

static void fill(const struct problem *problem, double alpha, size_t columns, const char **names)
{
    const struct ppep_power *power = problem->power;
    for (size_t i = 0; i < problem->rows; i++) {
        double *x = problem->x + i * columns;
        for (size_t j = 0; j < power->events; j++)
            x[j] = problem->points[i]->rates.event[power->event[j]] *
                   scale_of(power, power->event[j], problem->volts[i], alpha);
        if (power->awake)
            x[power->events] = 1;
    }
    for (size_t j = 0; j < power->events; j++)
        names[j] = ppep_events[power->event[j]].name;
    names[power->events] = AWAKE;
    names[linear_columns(power)] = "alpha";
}

static enum status fit_at(const struct problem *problem, double alpha, struct linear_fit *fit,
                          struct error *error)
{
    const char *names[LINEAR_COLUMNS];
    const struct linear_options plain = {0};
    size_t n = linear_columns(problem->power);
    fill(problem, alpha, n, names);
    const struct linear_data data = {problem->rows, n, problem->x, problem->y, problem->variance, names};
    return linear_fit(&data, &plain, fit, error);
}

/* The weighted sum of squares at that alpha. */
static enum status squares_at(const struct problem *problem, double alpha, double *squares,
                              struct error *error)
{
    struct linear_fit fit;
    enum status status = fit_at(problem, alpha, &fit, error);
    *squares = 0;
    for (size_t i = 0; status == STATUS_OK && i < problem->rows; i++)
        *squares +=
            pow(problem->y[i] - linear_predict(&fit, problem->x + i * fit.columns), 2) / problem->variance[i];
    return status;
}

/* Finds the alpha with the least sum of squares, by golden-section search. */
static enum status search_alpha(const struct problem *problem, double *alpha, struct error *error)
{
    double low = LEAST_ALPHA;
    double high = MOST_ALPHA;
    double at[2] = {high - GOLDEN * (high - low), low + GOLDEN * (high - low)};
    double squares[2];
    enum status status = squares_at(problem, at[0], &squares[0], error);
    if (status == STATUS_OK)
        status = squares_at(problem, at[1], &squares[1], error);
    for (int i = 0; status == STATUS_OK && i < NARROWINGS; i++) {
        bool left = squares[0] < squares[1];
        low = left ? low : at[0];
        high = left ? at[1] : high;
        at[left] = at[!left];
        squares[left] = squares[!left];
        at[!left] = left ? high - GOLDEN * (high - low) : low + GOLDEN * (high - low);
        status = squares_at(problem, at[!left], &squares[!left], error);
    }
    *alpha = (low + high) / 2;
    return status;
}

/* The derivative of the power by alpha, at the weights of the fit. */
static double slope_at(const struct ppep_power *power, const double *weights, const struct ppep_rates *rates,
                       double volts)
{
    double sum = 0;
    for (size_t j = 0; j < power->events; j++)
        if (ppep_events[power->event[j]].scaled)
            sum += weights[j] * rates->event[power->event[j]] *
                   scale_of(power, power->event[j], volts, power->alpha);
    return sum * log(volts / power->volts);
}

static void set_weights(const struct problem *problem, double share)
{
    for (size_t i = 0; i < problem->rows; i++)
        problem->variance[i] = problem->own[i] + pow(fmax(share, AS_EXACT) * problem->whole[i], 2);
}

/* The derivative of a row's power by the count of event j. */
static double effect_of(const struct problem *problem, const double *weights, size_t row, size_t j)
{
    const struct ppep_power *power = problem->power;
    return weights[j] * scale_of(power, power->event[j], problem->volts[row], power->alpha);
}

/* Sets the variance of each row's own noise, with the counters' errors at these weights. */
static void set_own(const struct problem *problem, const double *weights)
{
    const struct ppep_power *power = problem->power;
    for (size_t i = 0; i < problem->rows; i++) {
        problem->own[i] = problem->meter[i];
        for (size_t j = 0; j < power->events; j++)
            problem->own[i] +=
                pow(effect_of(problem, weights, i, j) * problem->points[i]->rates.off[power->event[j]], 2);
    }
}

/* Sets the columns of the weights and, if alpha is fitted, a column with the derivative by alpha, so that the
 * weights' intervals include its uncertainty. */
static enum status set_columns(const struct problem *problem, struct ppep_power *power, const char **names,
                               struct error *error)
{
    struct linear_fit fit;
    enum status status = fit_at(problem, power->alpha, &fit, error);
    if (status != STATUS_OK)
        return status;
    power->columns = linear_columns(power) + power->alpha_fitted;
    fill(problem, power->alpha, power->columns, names);
    for (size_t i = 0; power->alpha_fitted && i < problem->rows; i++)
        problem->x[i * power->columns + power->columns - 1] =
            slope_at(power, fit.value, &problem->points[i]->rates, problem->volts[i]);
    set_own(problem, fit.value);
    return STATUS_OK;
}

/* Refines alpha for new weights of the rows, by Newton steps: the coefficient of its column is the step. */
static enum status refine_alpha(const struct problem *problem, struct ppep_power *power, struct error *error)
{
    const char *names[LINEAR_COLUMNS];
    const struct linear_options plain = {0};
    struct linear_fit fit;
    for (int step = 0; step < STEPS; step++) {
        enum status status = set_columns(problem, power, names, error);
        const struct linear_data data = {problem->rows, power->columns,    problem->x,
                                         problem->y,    problem->variance, names};
        if (status == STATUS_OK)
            status = linear_fit(&data, &plain, &fit, error);
        if (status != STATUS_OK)
            return status;
        double off = fit.value[power->columns - 1];
        power->alpha = fmin(MOST_ALPHA, fmax(LEAST_ALPHA, power->alpha + off));
        if (fabs(off) < SETTLED_ALPHA)
            break;
    }
    return STATUS_OK;
}

/* Sets the columns and the rows' own noise, which is reduced to their scatter: without a model of idle power
 * the repetitions drift as the chip warms. */
static enum status trim(struct problem *problem, struct ppep_power *power, const char **names,
                        struct error *error)
{
    enum status status = set_columns(problem, power, names, error);
    if (status != STATUS_OK)
        return status;
    const struct linear_data data = {problem->rows, power->columns, problem->x, problem->y, NULL, names};
    struct point_fit fit = {&data, problem->own, problem->meter_freedom, problem->whole};
    status = point_fit_trim(&fit, error);
    problem->own_freedom = fit.own_freedom;
    return status;
}

/* Alternates between alpha at the present weights of the rows, and the errors of the counters and of whole
 * points, which set the next weights. */
static enum status find_alpha_and_share(struct problem *problem, double assumed, struct ppep_power *power,
                                        struct point_residual *residuals, struct error *error)
{
    const char *names[LINEAR_COLUMNS];
    double share = 1;
    enum status status = STATUS_OK;
    for (int round = 0; status == STATUS_OK && round < ROUNDS; round++) {
        set_weights(problem, share);
        if (power->alpha_fitted)
            status = round == 0 ? search_alpha(problem, &power->alpha, error)
                                : refine_alpha(problem, power, error);
        if (status == STATUS_OK)
            status = trim(problem, power, names, error);
        const struct linear_data data = {problem->rows, power->columns, problem->x, problem->y, NULL, names};
        const struct point_fit fit = {&data, problem->own, problem->own_freedom, problem->whole};
        if (status == STATUS_OK)
            status = point_fit_error(&fit, assumed, residuals, &power->shift, error);
        share = power->shift.share;
    }
    return status;
}

/* Sets the bias of the gradient of the sum of squares from the counters' errors: a count that is too high is
 * correlated with a residual that is too low, in its own column and in the weight of its row. */
static void set_bias(const struct problem *problem, const struct spread *spread, double *bias)
{
    const struct ppep_power *power = problem->power;
    memset(bias, 0, LINEAR_COLUMNS * sizeof *bias);
    for (size_t i = 0; i < problem->rows; i++) {
        double weight = 1 / problem->variance[i];
        double of_weight = 0;
        for (size_t j = 0; j < power->events; j++) {
            size_t event = power->event[j];
            double effect = effect_of(problem, spread->value, i, j);
            double count = problem->points[i]->rates.event[event];
            double off = pow(problem->points[i]->rates.off[event], 2);
            double scale = scale_of(power, event, problem->volts[i], power->alpha);
            bias[j] += weight * scale * effect * off;
            if (power->alpha_fitted && ppep_events[event].scaled)
                bias[power->columns - 1] +=
                    weight * effect * log(problem->volts[i] / power->volts) * effect * off;
            of_weight += count > 0 ? 2 * pow(weight * off, 2) * pow(effect, 3) / count : 0;
        }
        for (size_t k = 0; k < power->columns; k++)
            bias[k] -= problem->x[i * power->columns + k] * of_weight;
    }
}

/* Corrects the coefficients for that bias. own: their covariance without the errors of idle power. */
static void correct(const struct problem *problem, const struct spread *own, struct ppep_power *power)
{
    struct spread *spread = &power->spread;
    double alpha = power->alpha;
    double found[LINEAR_COLUMNS];
    double bias[LINEAR_COLUMNS];
    memcpy(found, spread->value, sizeof found);
    for (int round = 0; round < CORRECTIONS; round++) {
        set_bias(problem, spread, bias);
        for (size_t k = 0; k < power->columns; k++) {
            spread->value[k] = found[k];
            for (size_t l = 0; l < power->columns; l++)
                spread->value[k] += own->covariance[k * power->columns + l] * bias[l];
        }
    }
    if (power->alpha_fitted)
        power->alpha = alpha + spread->value[power->columns - 1];
    for (size_t k = 0; k < power->columns; k++)
        power->corrected = fmax(power->corrected, fabs(spread->value[k] - found[k]) /
                                                      sqrt(spread->covariance[k * power->columns + k]));
}

/* Sets the errors that rows share: of the coefficients of the subtracted idle power, and of the thermometer's
 * steps. */
static void set_common(const struct problem *problem, struct fitted *fitted)
{
    size_t idle = problem->idle == NULL ? 0 : problem->idle->columns;
    double root[LINEAR_COLUMNS * LINEAR_COLUMNS];
    fitted->commons = idle + problem->roundings;
    fitted->common = algebra_numbers(problem->rows * fitted->commons + 1);
    if (idle > 0)
        spread_root(problem->idle, root);
    for (size_t i = 0; i < problem->rows; i++) {
        double *common = fitted->common + i * fitted->commons;
        for (size_t j = 0; j < idle; j++)
            for (size_t k = 0; k <= j; k++)
                common[k] += problem->idle_rows[i * idle + j] * root[j * idle + k];
        memcpy(common + idle, problem->rounding + i * problem->roundings,
               problem->roundings * sizeof *common);
    }
}

static enum status fit_spread(struct problem *problem, struct ppep_power *power, struct error *error)
{
    const char *names[LINEAR_COLUMNS];
    struct linear_fit fit;
    struct spread own;
    enum status status = trim(problem, power, names, error);
    if (status != STATUS_OK)
        return status;
    set_weights(problem, power->shift.share);
    const struct linear_data data = {problem->rows, power->columns, problem->x, problem->y, NULL, names};
    const struct point_fit weighted = {&data, problem->own, problem->own_freedom, problem->whole};
    const struct spread_taken taken = {problem->idle, problem->idle_rows};
    status = point_fit_spread(&weighted, &power->shift, NULL, &fit, &own, error);
    if (status == STATUS_OK)
        status = point_fit_spread(&weighted, &power->shift, problem->idle == NULL ? NULL : &taken, &fit,
                                  &power->spread, error);
    if (status == STATUS_OK) {
        struct linear_data rounded = data;
        rounded.variance = problem->variance;
        spread_add_shared(&rounded, problem->rounding, problem->roundings, &power->spread);
        correct(problem, &own, power);
    }
    power->r2 = fit.r2;
    power->residual = fit.residual;
    power->condition = fit.condition;
    return status;
}

static void choose_events(const struct ppep_points *points, struct ppep_power *power)
{
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        if (points->columns.event[i] != NULL)
            power->event[power->events++] = i;
}

static bool several_voltages(const struct problem *problem)
{
    for (size_t i = 1; i < problem->rows; i++)
        if (fabs(problem->volts[i] - problem->volts[0]) > SAME_VOLTS)
            return true;
    return false;
}

double ppep_idle_slope(const struct ppep_model *model, double volts, double celsius)
{
    if (!model->has_idle || !isfinite(celsius))
        return 0;
    return idle_rise(&model->idle, volts, celsius - 0.5, celsius + 0.5).value;
}

/* The variance of one repetition's power, which is the meter's, and equal in all points. */
static double variance_of_reps(const struct ppep_model *model, const struct ppep_points *points,
                               double *freedom)
{
    double squares = 0;
    *freedom = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *point = &points->items[i];
        squares += ppep_scatter_at(&point->scatter, ppep_idle_slope(model, point->vf.volts, point->celsius));
        *freedom += point->scatter.reps - 1;
    }
    return *freedom > 0 ? squares / *freedom : 0;
}

static void take_points(const struct ppep_model *model, const struct ppep_points *points, size_t left_out,
                        struct problem *problem)
{
    double variance = variance_of_reps(model, points, &problem->meter_freedom);
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *point = &points->items[i];
        double dynamic = ppep_dynamic(model, point);
        if (point->group == left_out || !isfinite(dynamic))
            continue;
        problem->y[problem->rows] = dynamic;
        problem->volts[problem->rows] = point->vf.volts;
        problem->whole[problem->rows] = point->total_w;
        problem->meter[problem->rows] = variance / point->scatter.reps;
        if (!by_model(model, point))
            problem->meter[problem->rows] += pow(dataset_idle_error(point->point), 2);
        if (problem->idle != NULL && isfinite(point->celsius))
            idle_columns(&model->idle, point->vf.volts, point->celsius,
                         problem->idle_rows + problem->rows * problem->idle->columns);
        for (size_t k = 0; k < points->roundings; k++)
            problem->rounding[problem->rows * points->roundings + k] =
                points->rounding[i * points->roundings + k] *
                ppep_idle_slope(model, point->vf.volts, point->celsius);
        problem->points[problem->rows++] = point;
    }
}

/* Sets up the problem; release it by finish. */
static struct problem start(const struct ppep_model *model, const struct ppep_points *points, size_t left_out,
                            struct ppep_power *power)
{
    size_t most = points->count + 1;
    double *numbers = algebra_numbers(most * (2 * LINEAR_COLUMNS + 6 + points->roundings));
    struct problem problem = {.power = power,
                              .x = numbers,
                              .idle_rows = numbers + most * LINEAR_COLUMNS,
                              .y = numbers + most * (2 * LINEAR_COLUMNS),
                              .volts = numbers + most * (2 * LINEAR_COLUMNS + 1),
                              .own = numbers + most * (2 * LINEAR_COLUMNS + 2),
                              .whole = numbers + most * (2 * LINEAR_COLUMNS + 3),
                              .variance = numbers + most * (2 * LINEAR_COLUMNS + 4),
                              .meter = numbers + most * (2 * LINEAR_COLUMNS + 5),
                              .roundings = points->roundings,
                              .rounding = numbers + most * (2 * LINEAR_COLUMNS + 6),
                              .points = memory_zeroed(most, sizeof *problem.points),
                              .idle = model->has_idle ? &model->idle.spread : NULL};
    take_points(model, points, left_out, &problem);
    return problem;
}

static void finish(struct problem *problem)
{
    free(problem->points);
    free(problem->x);
}

static enum status fit_form(struct problem *problem, double alpha, double assumed,
                            struct point_residual *residuals, struct ppep_power *power, struct error *error)
{
    power->alpha_fitted = isnan(alpha) && several_voltages(problem);
    enum status status = find_alpha_and_share(problem, assumed, power, residuals, error);
    return status == STATUS_OK ? fit_spread(problem, power, error) : status;
}

enum status ppep_fit_power(const struct ppep_model *model, const struct ppep_points *points, double alpha,
                           size_t left_out, double assumed, struct point_residual *residuals, size_t *found,
                           struct ppep_power *power, struct error *error)
{
    *power = (struct ppep_power){.alpha = alpha};
    choose_events(points, power);
    struct problem problem = start(model, points, left_out, power);
    struct point_residual *own = memory_zeroed(points->count + 1, sizeof *own);
    for (size_t i = 0; i < problem.rows; i++)
        power->volts = fmax(power->volts, problem.volts[i]);
    const struct ppep_power empty = *power;
    power->awake = true;
    enum status status = fit_form(&problem, alpha, assumed, own, power, error);
    if (status == STATUS_USAGE) {
        *power = empty;
        status = fit_form(&problem, alpha, assumed, own, power, error);
    }
    if (status == STATUS_OK && residuals != NULL) {
        memcpy(residuals, own, problem.rows * sizeof *own);
        *found = problem.rows;
    }
    free(own);
    finish(&problem);
    return status;
}

static void power_row(const struct ppep_power *power, const struct ppep_rates *rates, double volts,
                      double awake, double *row)
{
    for (size_t j = 0; j < power->events; j++)
        row[j] = rates->event[power->event[j]] * scale_of(power, power->event[j], volts, power->alpha);
    if (power->awake)
        row[power->events] = awake;
    if (power->alpha_fitted)
        row[power->columns - 1] = slope_at(power, power->spread.value, rates, volts);
}

struct interval ppep_power_at(const struct ppep_power *power, const struct ppep_rates *rates, double volts,
                              double awake)
{
    double row[LINEAR_COLUMNS] = {0};
    power_row(power, rates, volts, awake, row);
    /* The column of alpha is a step from the fitted alpha, so that its value is 0 here. */
    struct spread spread = power->spread;
    if (power->alpha_fitted)
        spread.value[power->columns - 1] = 0;
    return spread_sum(&spread, row);
}

void ppep_set_fitted(const struct dataset *dataset, const struct ppep_model *model,
                     const struct ppep_points *points, struct ppep_power *power, struct fitted *fitted,
                     struct model_result *result)
{
    struct problem problem = start(model, points, SIZE_MAX, power);
    const char *names[LINEAR_COLUMNS];
    fill(&problem, power->alpha, power->columns, names);
    set_own(&problem, power->spread.value);
    fitted_begin(fitted, "dynamic power", "W", NULL);
    fitted->suspects[0] = "the number of cores that ran";
    fitted->spread = power->spread;
    for (size_t j = 0; j < power->columns; j++)
        snprintf(fitted->names[j], LINEAR_NAME_BYTES, "%s%s", j < power->events ? "w." : "", names[j]);
    if (power->alpha_fitted)
        fitted->spread.value[power->columns - 1] = 0;
    for (size_t i = 0; i < problem.rows; i++) {
        const struct ppep_point *point = problem.points[i];
        struct fitted_row *row = fitted_add(fitted);
        fitted_place(row, dataset, point->point);
        power_row(power, &point->rates, point->vf.volts, 1, row->x);
        size_t copies = point->point->reps[0].copies;
        power->copies_least = i == 0 || copies < power->copies_least ? copies : power->copies_least;
        power->copies_most = copies > power->copies_most ? copies : power->copies_most;
        row->suspects[0] = (double)copies;
        row->measured = problem.y[i];
        row->predicted = ppep_power_at(power, &point->rates, point->vf.volts, 1).value;
        row->own = sqrt(problem.own[i]);
        row->freedom = problem.meter_freedom;
        row->whole = point->total_w;
        row->celsius = isfinite(point->celsius) ? point->celsius : row->celsius;
        row->ghz = point->vf.ghz;
        for (size_t k = 0; k < problem.roundings; k++)
            row->celsius_moves = hypot(row->celsius_moves, problem.rounding[i * problem.roundings + k]);
        double slope = ppep_idle_slope(model, point->vf.volts, point->celsius);
        row->celsius_off = slope > 0 ? row->celsius_moves / slope : 0;
    }
    set_common(&problem, fitted);
    finish(&problem);
    form_test(fitted, result);
    memcpy(power->spread.covariance, fitted->spread.covariance, sizeof power->spread.covariance);
    power->spread.freedom = fitted->spread.freedom;
}
