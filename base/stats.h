/* Medians and what they are worth: bootstrap intervals, the same on every run for the same samples. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double value; /* of all samples */
    double low;   /* 2.5th percentile of the resamples' values */
    double high;  /* 97.5th percentile */
    size_t n;     /* samples it rests on */
};

/* The median of count samples (left unchanged); 0 when there are none. */
double stats_median(const double *samples, size_t count);

/* The sample with a share of `share` (0 to 1) of the others below it; 0 when there are none. */
double stats_quantile(const double *samples, size_t count, double share);

/* The median distance of the samples from their median; 0 when there are none. */
double stats_deviation(const double *samples, size_t count);

/* Which samples lie far from the others: 0.6745 of their distance from the median is more than 3.5 median
 * distances (Iglewicz and Hoaglin 1993, "modified z-score"), and the distance is more than `floor` (0.02: two
 * hundredths) of the median, as among few samples some are far by chance. Fills far[count] and returns how
 * many; none of fewer than 4, which have no majority. */
size_t stats_outliers(const double *samples, size_t count, double floor, bool *far);

/* A number computed from the rounds chosen[0..count), each an index of a measurement. */
typedef double stats_function(const size_t *chosen, size_t count, const void *context);

/* The function of all rounds 0..count-1, and its 95 % percentile-bootstrap interval (1,000 resamples of the
 * rounds, fixed seed). The value lies within the interval. */
struct interval stats_bootstrap_rounds(size_t count, stats_function *function, const void *context);

/* The median and its interval. */
struct interval stats_bootstrap(const double *samples, size_t count);

#endif
