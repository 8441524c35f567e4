/* The least of several numbers that were estimated. The least estimate is too low where several of the
 * numbers are about as small: whichever had the luckiest noise is taken. */
#ifndef MODEL_LEAST_H
#define MODEL_LEAST_H

#include "base/stats.h"

#include <stddef.h>

enum { LEAST_MOST = 64 };

struct least_estimate {
    double value;
    double error;   /* standard error; 0: exact */
    size_t freedom; /* degrees that the error rests on, at least 1 */
};

/* The least, corrected by what the luck of the least estimate is expected to be, and an interval that holds
 * the least of the true numbers in at least 95 of 100 cases. Its lower end is the least of the numbers' own,
 * 1 of 40 of which are too high: that of the true least alone has to hold. Its upper end is the least of
 * upper ends of which all hold at once in 39 of 40 cases. Numbers that lie clearly above count for nothing.
 * which: the index of the least estimate. At most LEAST_MOST. */
struct interval least_of(const struct least_estimate *estimates, size_t count, size_t *which);

#endif
