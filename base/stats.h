/* Medians and what they are worth: bootstrap intervals, the same on every run for the same samples. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stddef.h>

struct interval {
    double value; /* the median */
    double low;   /* 2.5th percentile of the bootstrap medians */
    double high;  /* 97.5th percentile */
    size_t n;     /* samples it rests on */
};

/* The median of count samples (left unchanged); 0 when there are none. */
double stats_median(const double *samples, size_t count);

/* The median and its 95 % percentile-bootstrap interval (2,000 resamples, fixed seed). */
struct interval stats_bootstrap(const double *samples, size_t count);

#endif
