#include "model/fitting/point_error.h"

#include "model/fitting/algebra.h"

#include <math.h>
#include <stdlib.h>

enum { DOUBLINGS = 80, BISECTIONS = 60 };

/* Degrees of freedom of the assumed error. */
static const double ASSUMED_FREEDOM = 100;

/* An estimate that hardly exceeds the noise keeps this many degrees of freedom, if the deviations have them:
 * it then contributes hardly anything to an interval. */
static const double ENOUGH_FREEDOM = 5;

/* With fewer, an interval would be useless. */
static const double LEAST_FREEDOM = 3;

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

/* Degrees of freedom of that estimate: each deviation counts by the part of it that the share explains. */
static double freedom_of(const struct point_residual *residuals, size_t count, double squared)
{
    double all = 0;
    double told = 0;
    for (size_t i = 0; i < count; i++) {
        double shift = squared * residuals[i].squared;
        all += residuals[i].freedom;
        told += shift > 0 ? residuals[i].freedom * shift / (residuals[i].variance + shift) : 0;
    }
    return fmax(told, fmin(all, ENOUGH_FREEDOM));
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
    if (freedom >= POINT_ERROR_LEAST || contradicts(residuals, count, freedom, assumed)) {
        double squared = solve(residuals, count);
        return (struct point_error){sqrt(squared), fmax(LEAST_FREEDOM, freedom_of(residuals, count, squared)),
                                    false};
    }
    return (struct point_error){assumed, ASSUMED_FREEDOM, true};
}

/* The lower triangle whose product with its transpose is own * own'; noise-free entries get a little noise.
 */
static void take_root(const double *own, size_t count, size_t noises, double *root)
{
    double most = 0;
    for (size_t i = 0; i < count * noises; i++)
        most = fmax(most, fabs(own[i]));
    double least = fmax(1e-9 * most, 1e-30);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? least * least : 0;
            for (size_t k = 0; k < noises; k++)
                sum += own[i * noises + k] * own[j * noises + k];
            for (size_t k = 0; k < j; k++)
                sum -= root[i * count + k] * root[j * count + k];
            root[i * count + j] = i == j ? sqrt(fmax(sum, least * least)) : sum / root[j * count + j];
        }
}

/* Solves root * x = right in place. */
static void solve_root(const double *root, size_t count, double *right)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++)
            right[i] -= root[i * count + k] * right[k];
        right[i] /= root[i * count + i];
    }
}

size_t point_error_apart(const double *off, const double *own, const double *whole, size_t count,
                         size_t noises, struct point_residual *residuals)
{
    double *numbers = algebra_numbers(2 * count * count + 2 * count + 2 * noises * count);
    double *root = numbers;
    double *right = root + count * count;
    double *singular = right + count * count;
    double *y = singular + count;
    double *x = y + count;
    double *inverse = x + noises * count;
    take_root(own, count, noises, root);
    for (size_t i = 0; i < count; i++) {
        y[i] = off[i];
        for (size_t k = 0; k < noises; k++)
            x[k * count + i] = whole[i * noises + k];
    }
    solve_root(root, count, y);
    for (size_t k = 0; k < noises; k++)
        solve_root(root, count, x + k * count);
    size_t found =
        count > 0 && algebra_pseudo_inverse(x, noises, count, inverse, singular, right) ? count : 0;
    for (size_t i = 0; i < found; i++) {
        double sum = 0;
        for (size_t j = 0; j < count; j++)
            sum += right[i * count + j] * y[j];
        residuals[i] = (struct point_residual){sum * sum, 1, singular[i] * singular[i], 1};
    }
    free(numbers);
    return found;
}

double point_error_assumed(const struct model *model, const struct model_settings *settings)
{
    return model_setting(model, settings, "point_error") / 100;
}

void point_error_tell(struct point_error error, json_t *document)
{
    json_object_set_new(document, "point_error",
                        json_pack("{s:f, s:b}", "percent", 100 * error.share, "assumed", error.assumed));
    if (error.assumed && error.share > 0)
        model_note(document,
                   "too few points to estimate the error of whole points: the intervals assume %.3g %% of "
                   "their power; measure more points, or set it by --set point_error=PERCENT",
                   100 * error.share);
}
