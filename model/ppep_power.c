/* Dynamic power: the sum over the events of their weights, those of the cores' own with (V / Vref)^alpha. */
#include "base/json.h"
#include "model/ppep.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double SAME_VOLTS = 1e-3;
static const double LEAST_ALPHA = 0, MOST_ALPHA = 8, GOLDEN = 0.6180339887498949;
enum { NARROWINGS = 40 };

double ppep_dynamic(const struct ppep_model *model, const struct ppep_point *point)
{
    double idle = model->has_idle && isfinite(point->celsius)
                      ? idle_at(&model->idle, point->vf.volts, point->celsius).value
                      : point->static_w;
    return point->total_w - idle;
}

/* The problem at one alpha; x and y are owned. */
struct problem {
    const struct ppep_power *power;
    double *x, *y;
    double *volts; /* of each row */
    size_t rows;
    struct ppep_rates *rates;  /* of each row */
    const struct spread *idle; /* of the idle power that was taken off; NULL: that of a model was not */
    double *idle_rows;         /* its columns, of each row */
};

static double scale_of(const struct ppep_power *power, size_t event, double volts, double alpha)
{
    bool scaled = ppep_events[event].scaled && isfinite(alpha);
    return scaled ? pow(volts / power->volts, alpha) : 1;
}

static void fill(const struct problem *problem, double alpha, size_t columns)
{
    const struct ppep_power *power = problem->power;
    for (size_t i = 0; i < problem->rows; i++)
        for (size_t j = 0; j < power->events; j++)
            problem->x[i * columns + j] = problem->rates[i].event[power->event[j]] *
                                          scale_of(power, power->event[j], problem->volts[i], alpha);
}

static enum status fit_at(const struct problem *problem, double alpha, struct linear_fit *fit,
                          struct error *error)
{
    const char *names[LINEAR_COLUMNS];
    const struct linear_options plain = {0};
    size_t n = problem->power->events;
    for (size_t j = 0; j < n; j++)
        names[j] = ppep_events[problem->power->event[j]].name;
    fill(problem, alpha, n);
    const struct linear_data data = {problem->rows, n, problem->x, problem->y, NULL, names};
    return linear_fit(&data, &plain, fit, error);
}

/* The alpha with the least residual, by golden sections. */
static enum status search_alpha(const struct problem *problem, double *alpha, struct error *error)
{
    double low = LEAST_ALPHA;
    double high = MOST_ALPHA;
    struct linear_fit left;
    struct linear_fit right;
    for (int i = 0; i < NARROWINGS; i++) {
        double a = high - GOLDEN * (high - low);
        double b = low + GOLDEN * (high - low);
        enum status status = fit_at(problem, a, &left, error);
        if (status == STATUS_OK)
            status = fit_at(problem, b, &right, error);
        if (status != STATUS_OK)
            return status;
        if (left.residual < right.residual)
            high = b;
        else
            low = a;
    }
    *alpha = (low + high) / 2;
    return STATUS_OK;
}

/* What the power changes by with alpha, at the weights of the fit. */
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

/* Weights, and alpha as one more column by its slope, so that its uncertainty is in the weights' intervals.
 */
static enum status fit_spread(const struct problem *problem, struct ppep_power *power, struct error *error)
{
    const char *names[LINEAR_COLUMNS];
    struct linear_fit fit;
    enum status status = fit_at(problem, power->alpha, &fit, error);
    if (status != STATUS_OK)
        return status;
    power->columns = power->events + power->alpha_fitted;
    for (size_t j = 0; j < power->events; j++)
        names[j] = ppep_events[power->event[j]].name;
    names[power->events] = "alpha";
    fill(problem, power->alpha, power->columns);
    for (size_t i = 0; power->alpha_fitted && i < problem->rows; i++)
        problem->x[i * power->columns + power->events] =
            slope_at(power, fit.value, &problem->rates[i], problem->volts[i]);
    const struct linear_data data = {problem->rows, power->columns, problem->x, problem->y, NULL, names};
    const struct spread_taken taken = {problem->idle, problem->idle_rows};
    status = spread_fit(&data, NULL, problem->idle == NULL ? NULL : &taken, &fit, &power->spread, error);
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

static void take_points(const struct ppep_model *model, const struct ppep_points *points, size_t left_out,
                        struct problem *problem)
{
    for (size_t i = 0; i < points->count; i++) {
        const struct ppep_point *point = &points->items[i];
        double dynamic = ppep_dynamic(model, point);
        if (point->group == left_out || !isfinite(dynamic))
            continue;
        problem->y[problem->rows] = dynamic;
        problem->volts[problem->rows] = point->vf.volts;
        if (problem->idle != NULL && isfinite(point->celsius))
            idle_columns(&model->idle, point->vf.volts, point->celsius,
                         problem->idle_rows + problem->rows * problem->idle->columns);
        problem->rates[problem->rows++] = point->rates;
    }
}

enum status ppep_fit_power(const struct ppep_model *model, const struct ppep_points *points, double alpha,
                           size_t left_out, struct ppep_power *power, struct error *error)
{
    size_t most = points->count + 1;
    *power = (struct ppep_power){.alpha = alpha};
    struct problem problem = {power,
                              calloc(most * LINEAR_COLUMNS, sizeof(double)),
                              calloc(most, sizeof(double)),
                              calloc(most, sizeof(double)),
                              0,
                              calloc(most, sizeof(struct ppep_rates)),
                              NULL,
                              NULL};
    if (model->has_idle) {
        problem.idle = &model->idle.spread;
        problem.idle_rows = calloc(most * LINEAR_COLUMNS, sizeof(double));
    }
    if (problem.x == NULL || problem.y == NULL || problem.volts == NULL || problem.rates == NULL ||
        (problem.idle != NULL && problem.idle_rows == NULL))
        abort();
    choose_events(points, power);
    take_points(model, points, left_out, &problem);
    for (size_t i = 0; i < problem.rows; i++)
        power->volts = fmax(power->volts, problem.volts[i]);
    enum status status = STATUS_OK;
    if (isnan(alpha) && several_voltages(&problem)) {
        power->alpha_fitted = true;
        status = search_alpha(&problem, &power->alpha, error);
    }
    if (status == STATUS_OK)
        status = fit_spread(&problem, power, error);
    free(problem.x);
    free(problem.y);
    free(problem.volts);
    free(problem.rates);
    free(problem.idle_rows);
    return status;
}

struct interval ppep_power_at(const struct ppep_power *power, const struct ppep_rates *rates, double volts)
{
    double row[LINEAR_COLUMNS] = {0};
    for (size_t j = 0; j < power->events; j++)
        row[j] = rates->event[power->event[j]] * scale_of(power, power->event[j], volts, power->alpha);
    if (power->alpha_fitted)
        row[power->events] = slope_at(power, power->spread.value, rates, volts);
    /* alpha's column is a step away from the alpha that was found: its value is 0 there. */
    struct spread spread = power->spread;
    if (power->alpha_fitted)
        spread.value[power->events] = 0;
    return spread_sum(&spread, row);
}
