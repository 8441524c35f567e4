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

/* The least of the true numbers: the middle of what the estimates leave likely for it, and the range that 95
 * % of that lies in. Before the estimates are seen each true number is as likely to be the least itself, or
 * as small, as to lie above it, by anything (Bayes; any share of them may be as small): estimates that agree
 * are averaged, those that clearly do not are left aside. One estimate alone has Student's interval. The
 * interval holds the least in 90 of 100 cases and more, but where a single number lies two to four errors
 * below several that agree: those speak against it. which: the index of the one that is least by a standard
 * error above its estimate. At most LEAST_MOST. */
struct interval least_of(const struct least_estimate *estimates, size_t count, size_t *which);

#endif
