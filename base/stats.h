/* Medians and what they are worth: bootstrap intervals, the same on every run for the same samples. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

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

/* A number computed from the rounds chosen[0..count), each an index of a measurement. */
typedef double stats_function(const size_t *chosen, size_t count, const void *context);

/* The function of all rounds 0..count-1, and its 95 % percentile-bootstrap interval (1,000 resamples of the
 * rounds, fixed seed). The value lies within the interval. */
struct interval stats_bootstrap_rounds(size_t count, stats_function *function, const void *context);

/* The median and its interval. */
struct interval stats_bootstrap(const double *samples, size_t count);

#endif
