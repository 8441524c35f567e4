/* Values of repeated measurements, and intervals that contain the value of a later measurement; bootstrap
 * intervals, reproducible for equal samples. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double value;     /* of all samples */
    double low, high; /* of 95 %; NAN: there is none */
    size_t n;         /* number of samples */
};

/* In ascending order. */
void stats_sort(double *samples, size_t count);

/* The median of count samples (left unchanged); 0 when there are none. */
double stats_median(const double *samples, size_t count);

/* The sample that exceeds a share of `share` (0 to 1) of the others; 0 if there are none. */
double stats_quantile(const double *samples, size_t count, double share);

/* The median distance of the samples from their median; 0 when there are none. */
double stats_deviation(const double *samples, size_t count);

/* Finds outliers: samples where 0.6745 times the distance from the median exceeds 3.5 median distances
 * (Iglewicz and Hoaglin 1993, "modified z-score") and the distance exceeds `floor` (0.02: 2 %) of the median,
 * because among few samples some are far off by chance. Fills far[count] and returns their number; 0 for
 * fewer than 4 samples, which have no majority. */
size_t stats_outliers(const double *samples, size_t count, double floor, bool *far);

/* The value of times that disturbances only lengthen: the median of the lower half of the samples. The
 * minimum, which Chen and Revels take for the same reason ("Robust benchmarking in noisy environments", 2016,
 * arXiv:1608.04295), sinks as samples are added; this does not. The 95 % interval is for the value of another
 * 5 samples, with noise that is normal or half as skewed as exponential noise, and uses the spread of the
 * lower half or of all samples, whichever is less. It has at least 0.25 % to each side, by which quiet runs
 * of one program differ because pages and clock ticks fall differently. There is none for one sample, or if
 * it were wider than 10 % to each side: such samples do not agree. */
struct interval stats_fastest(const double *samples, size_t count);

/* The value of numbers that disturbances make larger or smaller, such as ratios of two times: the median of
 * the half of the samples that are closest together (the shorth: Rousseeuw and Leroy, "Robust regression and
 * outlier detection", 1987, section 4.4). The interval is that of stats_fastest. */
struct interval stats_agreeing(const double *samples, size_t count);

/* The value of numbers that err to both sides: the median, with an interval for the median of another 5
 * samples with normal noise, from the range of all samples. There is none for one sample. */
struct interval stats_repeated(const double *samples, size_t count);

/* A number computed from the rounds chosen[0..count), each the index of a measurement. */
typedef double stats_function(const size_t *chosen, size_t count, const void *context);

/* The function over all rounds 0..count-1, and its 95 % percentile-bootstrap interval (1,000 resamples of the
 * rounds, fixed seed). The value lies within the interval. */
struct interval stats_bootstrap_rounds(size_t count, stats_function *function, const void *context);

/* The median and its interval. */
struct interval stats_bootstrap(const double *samples, size_t count);

#endif
