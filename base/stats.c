#include "base/stats.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 1000, LEAST_JUDGED = 4 };

static const double MODIFIED_Z = 3.5;
static const double NORMAL_DEVIATION = 0.6745; /* median distance of normal samples, in standard deviations */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *samples, size_t count)
{
    if (count > 0)
        qsort(samples, count, sizeof *samples, by_value);
}

static double median_of_sorted(const double *sorted, size_t count)
{
    if (count == 0)
        return 0;
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double stats_median(const double *samples, size_t count)
{
    double *sorted = memory_resized(NULL, count, sizeof *sorted);
    memcpy(sorted, samples, count * sizeof *sorted);
    stats_sort(sorted, count);
    double median = median_of_sorted(sorted, count);
    free(sorted);
    return median;
}

double stats_deviation(const double *samples, size_t count)
{
    double median = stats_median(samples, count);
    double *distances = memory_resized(NULL, count, sizeof *distances);
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(samples[i] - median);
    double deviation = stats_median(distances, count);
    free(distances);
    return deviation;
}

size_t stats_outliers(const double *samples, size_t count, double floor, bool *far)
{
    double median = stats_median(samples, count);
    double limit =
        fmax(MODIFIED_Z * stats_deviation(samples, count) / NORMAL_DEVIATION, floor * fabs(median));
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        far[i] = count >= LEAST_JUDGED && fabs(samples[i] - median) > limit;
        found += far[i];
    }
    return found;
}

/* The value at `rank` in sorted order; reorders the values (Hoare's selection, since an interval needs
 * thousands). */
static double select_rank(double *values, size_t count, size_t rank)
{
    size_t first = 0;
    size_t last = count - 1;
    while (first < last) {
        double pivot = values[first + (last - first) / 2];
        size_t low = first;
        size_t high = last;
        while (low <= high) {
            while (values[low] < pivot)
                low++;
            while (values[high] > pivot)
                high--;
            if (low > high)
                break;
            double other = values[low];
            values[low++] = values[high];
            values[high] = other;
            if (high == 0)
                break;
            high--;
        }
        if (rank <= high && high < last)
            last = high;
        else if (rank >= low)
            first = low;
        else
            return values[rank];
    }
    return values[rank];
}

double stats_quantile(const double *samples, size_t count, double share)
{
    if (count == 0)
        return 0;
    double *sorted = memory_resized(NULL, count, sizeof *sorted);
    memcpy(sorted, samples, count * sizeof *sorted);
    double value = select_rank(sorted, count, (size_t)(share * (double)(count - 1)));
    free(sorted);
    return value;
}

/* Distance, in ranges of the samples, that the value of another 5 samples exceeds in 5 of 100 cases; the
 * larger for normal and gamma(2) samples, from simulations of 400,000 pairs. Indexed by the number of
 * samples, from 2 on. */
enum { FACTORS = 11, LAST_FACTOR = FACTORS + 1 };
static const double of_lower_half[FACTORS] = {9.3, 11.7, 2.5, 3.0, 1.6, 1.95, 1.35, 1.6, 1.4, 1.4, 1.4};
static const double of_all_for_lower[FACTORS] = {9.3,  2.0,  1.2,  0.86, 0.71, 0.62,
                                                 0.57, 0.53, 0.50, 0.47, 0.45};
static const double of_closest_half[FACTORS] = {9.3, 26.4, 4.0, 6.2, 2.9, 3.8, 2.4, 2.9, 2.2, 2.5, 2.0};
static const double of_all_for_closest[FACTORS] = {9.3,  2.1, 1.35, 1.06, 0.89, 0.82,
                                                   0.75, 0.7, 0.65, 0.63, 0.6};
static const double of_all_for_median[FACTORS] = {8.0,  1.81, 1.07, 0.82, 0.68, 0.61,
                                                  0.54, 0.51, 0.47, 0.44, 0.42};

/* Beyond the table the distance shrinks with the square root of the number of samples; 1.1 is the largest
 * deviation from that rule up to 40 samples. */
static double factor_of(const double factors[FACTORS], size_t count)
{
    return count <= LAST_FACTOR ? factors[count - 2]
                                : 1.1 * factors[FACTORS - 1] * sqrt(LAST_FACTOR / (double)count);
}

/* A factor for the smaller of two intervals, which holds less often than either. */
static const double SMALLER_OF_TWO = 1.15;

static const double LEAST_WIDTH = 0.0025, MOST_WIDTH = 0.1;

/* The interval of a value that is the median of half of the samples. */
static void set_bounds(struct interval *interval, double half)
{
    half = fmax(half, LEAST_WIDTH * fabs(interval->value));
    bool agree = half <= MOST_WIDTH * fabs(interval->value);
    interval->low = agree ? interval->value - half : NAN;
    interval->high = agree ? interval->value + half : NAN;
}

/* The first, in ascending order, of the more than half of the samples to use. */
typedef size_t choose_half(const double *sorted, size_t count, size_t half);

static struct interval of_half(const double *samples, size_t count, choose_half *choose,
                               const double by_half[FACTORS], const double by_all[FACTORS])
{
    struct interval interval = {0, NAN, NAN, count};
    if (count == 0)
        return interval;
    double *sorted = memory_resized(NULL, count, sizeof *sorted);
    memcpy(sorted, samples, count * sizeof *sorted);
    stats_sort(sorted, count);
    size_t half = count / 2 + 1 < count ? count / 2 + 1 : count;
    const double *first = sorted + choose(sorted, count, half);
    interval.value = median_of_sorted(first, half);
    if (count > 1)
        set_bounds(&interval,
                   SMALLER_OF_TWO * fmin(factor_of(by_half, count) * (first[half - 1] - first[0]),
                                         factor_of(by_all, count) * (sorted[count - 1] - sorted[0])));
    free(sorted);
    return interval;
}

static size_t choose_lowest(const double *sorted, size_t count, size_t half)
{
    (void)sorted, (void)count, (void)half;
    return 0;
}

static size_t choose_closest(const double *sorted, size_t count, size_t half)
{
    size_t best = 0;
    for (size_t i = 1; i + half <= count; i++)
        if (sorted[i + half - 1] - sorted[i] < sorted[best + half - 1] - sorted[best])
            best = i;
    return best;
}

struct interval stats_fastest(const double *samples, size_t count)
{
    return of_half(samples, count, choose_lowest, of_lower_half, of_all_for_lower);
}

struct interval stats_agreeing(const double *samples, size_t count)
{
    return of_half(samples, count, choose_closest, of_closest_half, of_all_for_closest);
}

struct interval stats_repeated(const double *samples, size_t count)
{
    struct interval interval = {stats_median(samples, count), NAN, NAN, count};
    if (count < 2)
        return interval;
    double least = stats_quantile(samples, count, 0), most = stats_quantile(samples, count, 1);
    double half = factor_of(of_all_for_median, count) * (most - least);
    interval.low = interval.value - half;
    interval.high = interval.value + half;
    return interval;
}

struct interval stats_bootstrap_rounds(size_t count, stats_function *function, const void *context)
{
    size_t *chosen = memory_zeroed(count, sizeof *chosen);
    for (size_t i = 0; i < count; i++)
        chosen[i] = i;
    double value = function(chosen, count, context);
    struct interval interval = {value, value, value, count};
    struct random random = random_start(count, "bootstrap");
    double values[RESAMPLES];
    for (size_t i = 0; count > 1 && i < RESAMPLES; i++) {
        for (size_t j = 0; j < count; j++)
            chosen[j] = random_below(&random, (uint32_t)count);
        values[i] = function(chosen, count, context);
    }
    free(chosen);
    if (count < 2)
        return interval;
    qsort(values, RESAMPLES, sizeof values[0], by_value);
    interval.low = fmin(value, values[RESAMPLES / 40]);
    interval.high = fmax(value, values[RESAMPLES - 1 - RESAMPLES / 40]);
    return interval;
}

static double median_of_rounds(const size_t *chosen, size_t count, const void *context)
{
    const double *samples = context;
    double *values = memory_resized(NULL, count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = samples[chosen[i]];
    double median = stats_median(values, count);
    free(values);
    return median;
}

struct interval stats_bootstrap(const double *samples, size_t count)
{
    return stats_bootstrap_rounds(count, median_of_rounds, samples);
}
