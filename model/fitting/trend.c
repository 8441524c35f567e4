#include "model/fitting/trend.h"

#include "base/memory.h"
#include "model/data/model_result.h"
#include "model/fitting/algebra.h"
#include "model/fitting/spread.h"

#include <math.h>
#include <stdlib.h>

/* With fewer points, chance has too many ways. */
enum { LEAST_POINTS = 6, LEAST_REPS = 3 };

/* In standard errors: by chance one in some 10,000 models with twenty points. */
static const double SIGNIFICANT = 5;

/* Smaller changes over the whole range hardly exceed the intervals. */
static const double MATTERS = 0.01;

/* Thermometers are no better. */
static const double WARMER_C = 1;

/* Leakage grows faster when it is warm: its slope by at most this share per degree. */
static const double LEAKAGE_CURVES = 0.02;

/* Deviations from the means of their points, in the order of the rows. */
struct trend {
    size_t rows, points;
    double *x, *y;
    size_t *cluster;
    double low, high; /* of the temperature, or of the order */
    double w, ww, a,
        wa; /* sums over the points of their power, its square, their mean of that, and the product */
};

static double dynamic_w(const struct dataset_row *row)
{
    return row->dynamic_j / row->seconds;
}

static double order_of(const struct dataset_row *row)
{
    return (double)(row->rep - row->point->reps);
}

static double celsius_of(const struct dataset_row *row)
{
    return dataset_hottest(&row->rep->temperature_c);
}

/* The repetitions of one point: their power against `at`, and against `at` times the point's power. */
static void add_point(const struct dataset_row *rows, size_t count,
                      double (*at)(const struct dataset_row *row), struct trend *trend)
{
    double watts = 0, mean = 0;
    for (size_t i = 0; i < count; i++) {
        watts += dynamic_w(&rows[i]) / (double)count;
        mean += at(&rows[i]) / (double)count;
    }
    if (count < LEAST_REPS || !isfinite(watts) || !isfinite(mean) || !(watts > 0))
        return;
    for (size_t i = 0; i < count; i++) {
        double off = at(&rows[i]) - mean;
        trend->x[2 * trend->rows] = off;
        trend->x[2 * trend->rows + 1] = off * watts;
        trend->y[trend->rows] = dynamic_w(&rows[i]) - watts;
        trend->cluster[trend->rows++] = trend->points;
        trend->low = fmin(trend->low, at(&rows[i]));
        trend->high = fmax(trend->high, at(&rows[i]));
    }
    trend->points++;
    trend->w += watts;
    trend->ww += watts * watts;
    trend->a += mean;
    trend->wa += watts * mean;
}

/* How much warmer a point is for each watt. */
static double warmer(const struct trend *trend)
{
    double n = (double)trend->points, about = trend->ww - trend->w * trend->w / n;
    return about > 0 ? (trend->wa - trend->w * trend->a / n) / about : 0;
}

/* The share by which power changes for one of `at`; 0 when it is not significant, or too small over their
 * range. NAN: `at` is unknown, or the same everywhere. */
static double share_of(const struct dataset *dataset, double (*at)(const struct dataset_row *row),
                       double least_range, double curves)
{
    static const char *const names[] = {"idle", "dynamic"};
    struct trend trend = {.x = algebra_numbers(2 * dataset->count + 1),
                          .y = algebra_numbers(dataset->count + 1),
                          .cluster = memory_zeroed(dataset->count + 1, sizeof(size_t)),
                          .low = INFINITY,
                          .high = -INFINITY};
    for (size_t i = 0, next; i < dataset->count; i = next) {
        for (next = i + 1; next < dataset->count && dataset->rows[next].point == dataset->rows[i].point;)
            next++;
        add_point(&dataset->rows[i], next - i, at, &trend);
    }
    const struct linear_data data = {trend.rows, 2, trend.x, trend.y, NULL, names};
    struct linear_fit fit;
    struct spread spread;
    struct error error;
    double share = trend.points >= LEAST_POINTS && trend.high - trend.low > least_range ? 0 : NAN;
    if (share == 0 && spread_fit(&data, trend.cluster, NULL, &fit, &spread, &error) == STATUS_OK &&
        fabs(fit.value[1]) >
            SIGNIFICANT * sqrt(spread.covariance[3]) + curves * fabs(fit.value[0] * warmer(&trend)) &&
        fabs(fit.value[1]) * (trend.high - trend.low) > MATTERS)
        share = fit.value[1];
    free(trend.x);
    free(trend.y);
    free(trend.cluster);
    return share;
}

void trend_judge(const struct dataset *dataset, struct model_result *result)
{
    double by_celsius = share_of(dataset, celsius_of, WARMER_C, LEAKAGE_CURVES);
    double by_order = isnan(by_celsius) ? share_of(dataset, order_of, 0, 0) : 0;
    if (fabs(by_celsius) > 0)
        model_disbelieve(
            result,
            "do not trust this model: energies change by %+.2g %% per degree of the chip's temperature, as "
            "the repetitions of each point show, and the model takes them to be constant",
            100 * by_celsius);
    if (fabs(by_order) > 0)
        model_disbelieve(
            result,
            "do not trust this model: energies change by %+.2g %% from one repetition to the next, and the "
            "model takes them to be constant",
            100 * by_order);
}
