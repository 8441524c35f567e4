#include "model/fitting/point_error.h"

#include "model/data/model_result.h"
#include "model/fitting/spread.h"

#include <math.h>

enum { DOUBLINGS = 80, BISECTIONS = 60 };

/* Rounding error of degrees of freedom, which are a sum of leverages. */
static const double ROUNDING = 1e-6;

/* Degrees of freedom of the assumed error. */
static const double ASSUMED_FREEDOM = 100;

/* The sum of squares over their variance with that squared share, minus the degrees of freedom; falls as the
 * share grows. */
static double excess(const struct point_residual *residuals, size_t count, double squared)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += residuals[i].off / (residuals[i].variance + squared * residuals[i].squared) -
               residuals[i].freedom;
    return sum;
}

/* The derivative of the log likelihood by the squared share: deviations that it hardly affects, because their
 * own noise is large, hardly count. */
static double slope(const struct point_residual *residuals, size_t count, double squared)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double variance = residuals[i].variance + squared * residuals[i].squared;
        sum += residuals[i].squared / variance * (residuals[i].off / variance - residuals[i].freedom);
    }
    return sum;
}

static double solve(const struct point_residual *residuals, size_t count)
{
    double low = 0;
    double high = 1e-12;
    if (!(slope(residuals, count, 0) > 0))
        return 0;
    for (int i = 0; i < DOUBLINGS && slope(residuals, count, high) > 0; i++)
        high *= 2;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (slope(residuals, count, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Degrees of freedom of that estimate: Kish's effective sample size, with the weights of the slope above. A
 * deviation with large noise of its own has hardly any weight. */
static double freedom_of(const struct point_residual *residuals, size_t count, double squared)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = residuals[i].squared / (residuals[i].variance + squared * residuals[i].squared);
        sum += residuals[i].freedom * weight;
        squares += residuals[i].freedom * weight * weight;
    }
    return fmax(1, sum * sum / squares);
}

/* Whether the deviations contradict the assumed error, at the 1 % level (chi squared). */
static bool contradicts(const struct point_residual *residuals, size_t count, double freedom, double assumed)
{
    static const double chance[] = {6.63, 9.21, 11.34};
    size_t left = (size_t)fmax(1, fmin(freedom, 3));
    return freedom > 0 &&
           excess(residuals, count, assumed * assumed) + freedom > chance[left - 1] * fmax(1, freedom / 3);
}

struct point_error point_error_of(const struct point_residual *residuals, size_t count, double assumed)
{
    double freedom = 0;
    for (size_t i = 0; i < count; i++)
        freedom += residuals[i].freedom;
    if (freedom >= POINT_ERROR_LEAST - ROUNDING || contradicts(residuals, count, freedom, assumed)) {
        double squared = solve(residuals, count);
        return (struct point_error){sqrt(squared), freedom_of(residuals, count, squared), false};
    }
    return (struct point_error){assumed, ASSUMED_FREEDOM, true};
}

double point_error_freedom(struct point_error error, double own, double own_freedom, double shift)
{
    double t_own = spread_student(own_freedom), t_shift = spread_student(error.freedom);
    double t = (own * t_own + shift * t_shift) / (own + shift);
    double low = fmin(own_freedom, error.freedom), high = fmax(own_freedom, error.freedom);
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (spread_student(middle) > t)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double point_error_assumed(const struct model_setting_row *rows, const struct model_settings *settings)
{
    return model_setting(rows, settings, "point_error") / 100;
}

void point_error_report(struct point_error error, struct model_result *result)
{
    result->point_error.percent = 100 * error.share;
    result->point_error.assumed = error.assumed;
    model_states(result, "point_error");
    if (error.assumed && error.share > 0)
        model_note(result,
                   "too few points to estimate the error of whole points: the intervals assume %.3g %% of "
                   "their power; measure more points, or set it by --set point_error=PERCENT",
                   100 * error.share);
}
