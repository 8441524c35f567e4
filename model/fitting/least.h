/* The minimum of several estimated numbers. The lowest estimate is biased low when several of the numbers are
 * about equally small, because it selects the luckiest noise. */
#ifndef MODEL_FITTING_LEAST_H
#define MODEL_FITTING_LEAST_H

#include "base/stats.h"

#include <stddef.h>

enum { LEAST_MOST = 64 };

struct least_estimate {
    double value;
    double error;   /* standard error; 0: exact */
    size_t freedom; /* degrees of freedom of the error, at least 1 */
};

/* The minimum of the true numbers: the median of its posterior and the 95 % range. Prior: each true number is
 * equally likely to equal the minimum or to lie above it by any amount (Bayes; any share of them may equal
 * it). So estimates that agree are averaged, and those that clearly disagree are ignored. A single estimate
 * has Student's interval. The interval contains the minimum in at least 90 of 100 cases, except when a single
 * number lies two to four errors below several that agree, which outweigh it. which: the index of the
 * estimate with the lowest upper end (value plus one standard error). At most LEAST_MOST. */
struct interval least_of(const struct least_estimate *estimates, size_t count, size_t *which);

#endif
