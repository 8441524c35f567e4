#include "model/fitting/squeeze.h"

#include <math.h>

/* With more degrees of freedom, a variance counts as known. */
static const double KNOWN = 1000;

enum { BISECTIONS = 60 };

/* The derivative of the logarithm of the gamma function, and its own (Abramowitz and Stegun 1964, 6.3.18 and
 * 6.4.12, from 6 on). */
static double digamma(double x)
{
    double sum = 0;
    for (; x < 6; x++)
        sum -= 1 / x;
    double square = 1 / (x * x);
    return sum + log(x) - 0.5 / x - square * (1.0 / 12 - square * (1.0 / 120 - square / 252));
}

static double trigamma(double x)
{
    double sum = 0;
    for (; x < 6; x++)
        sum += 1 / (x * x);
    double square = 1 / (x * x);
    return sum + 1 / x + square / 2 + square / x * (1.0 / 6 - square * (1.0 / 30 - square / 42));
}

/* The degrees of freedom of the common value: trigamma of half of them equals the argument; trigamma falls
 * monotonically. */
static double degrees_of(double wanted)
{
    double low = 1e-3;
    double high = KNOWN / 2;
    if (trigamma(high) > wanted)
        return 2 * high;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (trigamma(middle) > wanted)
            low = middle;
        else
            high = middle;
    }
    return low + high;
}

/* The logarithm of the measured variance, without the bias from its few degrees of freedom. */
static double centred(const struct squeeze_variance *one)
{
    return log(one->variance) - digamma(one->freedom / 2) + log(one->freedom / 2);
}

void squeeze(struct squeeze_variance *variances, size_t count)
{
    double n = 0;
    double mean = 0;
    double squares = 0;
    double expected = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(variances[i].freedom > 0))
            continue;
        if (!(variances[i].variance > 0))
            return;
        double off = centred(&variances[i]) - mean;
        n++;
        mean += off / n;
        squares += off * (centred(&variances[i]) - mean);
        expected += (trigamma(variances[i].freedom / 2) - expected) / n;
    }
    if (n < 2)
        return;
    double more = squares / (n - 1) - expected;
    double degrees = more > 0 ? degrees_of(more) : KNOWN;
    double common = exp(mean + (more > 0 ? digamma(degrees / 2) - log(degrees / 2) : 0));
    for (size_t i = 0; i < count; i++) {
        struct squeeze_variance *one = &variances[i];
        if (!(one->freedom > 0))
            continue;
        one->variance = (degrees * common + one->freedom * one->variance) / (degrees + one->freedom);
        one->freedom += degrees;
    }
}
