#include "base/stats.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of_sorted(const double *sorted, size_t count)
{
    if (count == 0)
        return 0;
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double *allocate(size_t count)
{
    double *values = malloc((count + 1) * sizeof *values);
    if (values == NULL)
        abort();
    return values;
}

double stats_median(const double *samples, size_t count)
{
    double *sorted = allocate(count);
    memcpy(sorted, samples, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    double median = median_of_sorted(sorted, count);
    free(sorted);
    return median;
}

struct interval stats_bootstrap(const double *samples, size_t count)
{
    double median = stats_median(samples, count);
    struct interval interval = {median, median, median, count};
    if (count < 2)
        return interval;
    struct random random = random_start(count, "bootstrap");
    double *resample = allocate(count);
    double medians[RESAMPLES];
    for (size_t i = 0; i < RESAMPLES; i++) {
        for (size_t j = 0; j < count; j++)
            resample[j] = samples[random_below(&random, (uint32_t)count)];
        medians[i] = stats_median(resample, count);
    }
    free(resample);
    qsort(medians, RESAMPLES, sizeof medians[0], by_value);
    interval.low = medians[RESAMPLES / 40];
    interval.high = medians[RESAMPLES - 1 - RESAMPLES / 40];
    return interval;
}
