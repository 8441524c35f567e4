#include "model/least.h"

#include "model/propagate.h"

#include <math.h>

static size_t find_least(const struct least_estimate *estimates, size_t count)
{
    size_t least = 0;
    for (size_t i = 1; i < count; i++)
        if (estimates[i].value < estimates[least].value)
            least = i;
    return least;
}

static void largest(const double *inputs, double *outputs, const void *context)
{
    const size_t count = *(const size_t *)context;
    outputs[0] = inputs[0];
    for (size_t i = 1; i < count; i++)
        outputs[0] = fmax(outputs[0], inputs[i]);
}

/* How many standard errors above its truth none of the estimates is, in 39 of 40 cases. */
static double reach(const struct least_estimate *estimates, size_t count)
{
    struct propagate_input deviates[LEAST_MOST];
    for (size_t i = 0; i < count; i++)
        deviates[i] = (struct propagate_input){0, 1, estimates[i].freedom};
    return propagate_quantile(deviates, count, largest, &count, 0.975);
}

static void least_number(const double *inputs, double *outputs, const void *context)
{
    const size_t count = *(const size_t *)context;
    outputs[0] = inputs[0];
    for (size_t i = 1; i < count; i++)
        outputs[0] = fmin(outputs[0], inputs[i]);
}

/* The share of the estimates' spread that is no noise: estimates scatter more than what they stand for. */
static double true_share(const struct least_estimate *estimates, size_t count, double *mean)
{
    double squares = 0;
    double noise = 0;
    *mean = 0;
    for (size_t i = 0; i < count; i++)
        *mean += estimates[i].value / (double)count;
    for (size_t i = 0; i < count; i++) {
        squares += (estimates[i].value - *mean) * (estimates[i].value - *mean);
        noise += estimates[i].error * estimates[i].error;
    }
    squares /= fmax(1, (double)count - 1);
    noise /= (double)count;
    return squares > noise ? (squares - noise) / squares : 0;
}

/* By how much the least of these is expected to be lower than their true least, the true numbers lying as
 * close to their mean as the spread that is no noise says (James and Stein 1961). */
static double luck(const struct least_estimate *estimates, size_t count)
{
    struct propagate_input inputs[LEAST_MOST];
    double mean;
    double share = true_share(estimates, count, &mean);
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double value = mean + share * (estimates[i].value - mean);
        inputs[i] = (struct propagate_input){value, estimates[i].error, estimates[i].freedom};
        least = fmin(least, value);
    }
    return least - propagate_quantile(inputs, count, least_number, &count, 0.5);
}

/* Copies those whose interval reaches below the least upper end. */
static size_t choose(const struct least_estimate *estimates, size_t count, double wide,
                     struct least_estimate *chosen)
{
    double upper = INFINITY;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        upper = fmin(upper, estimates[i].value + wide * estimates[i].error);
    for (size_t i = 0; i < count; i++)
        if (estimates[i].value - wide * estimates[i].error <= upper)
            chosen[kept++] = estimates[i];
    return kept;
}

struct interval least_of(const struct least_estimate *estimates, size_t count, size_t *which)
{
    struct least_estimate chosen[LEAST_MOST] = {0};
    size_t kept = choose(estimates, count, reach(estimates, count), chosen);
    double above = reach(chosen, kept);
    struct interval least = {0, INFINITY, INFINITY, kept};
    *which = find_least(estimates, count);
    for (size_t i = 0; i < kept; i++) {
        double below = kept == 1 ? above : reach(&chosen[i], 1);
        least.low = fmin(least.low, chosen[i].value - below * chosen[i].error);
        least.high = fmin(least.high, chosen[i].value + above * chosen[i].error);
    }
    least.value = estimates[*which].value + luck(chosen, kept);
    least.value = fmax(least.low, fmin(least.high, least.value));
    return least;
}
