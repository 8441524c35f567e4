#include "model/fitting/least.h"

#include <math.h>
#include <stdlib.h>

/* Estimates further above the minimum than this many of their joint standard errors are ignored. */
static const double CLEARLY_ABOVE = 8;

/* Prior: a share of the numbers equals their minimum, the others lie up to `reach` standard errors (their own
 * or the largest) above it. Nothing is known about either, so all these values have equal weight. */
static const double shares[] = {0.1, 0.3, 0.5, 0.7, 0.9};
static const double reaches[] = {4, 8, 16};
enum { SHARES = sizeof shares / sizeof shares[0], REACHES = sizeof reaches / sizeof reaches[0] };

/* Number of positions tried for the minimum, and how far from an estimate they reach: in normal deviates, and
 * in standard errors at most. */
enum { PLACES = 800 };
static const double DEVIATES = 4.5, MOST_ERRORS = 300;

/* An exact estimate gets an error of this share of the largest. */
static const double AS_EXACT = 1e-3;

static const double SQRT_2 = 1.4142135623730951, SQRT_2PI = 2.5066282746310002;

/* Converts Student's t to the normal deviate with the same tail probability (Wallace 1959). */
static double normal_of(double t, double freedom)
{
    double size = (8 * freedom + 1) / (8 * freedom + 3) * sqrt(freedom * log1p(t * t / freedom));
    return t < 0 ? -size : size;
}

static double student_of(double normal, double freedom)
{
    double size = normal * (8 * freedom + 3) / (8 * freedom + 1);
    return sqrt(freedom * expm1(size * size / freedom));
}

/* The probability that Student's t is below that value. */
static double below(double t, double freedom)
{
    return 0.5 * erfc(-normal_of(t, freedom) / SQRT_2);
}

static double density(double t, double freedom)
{
    double scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom) * SQRT_2;
    return scale / SQRT_2PI * pow(1 + t * t / freedom, -(freedom + 1) / 2);
}

static size_t find_least(const struct least_estimate *estimates, size_t count)
{
    size_t least = 0;
    for (size_t i = 1; i < count; i++)
        if (estimates[i].value < estimates[least].value)
            least = i;
    return least;
}

static struct interval alone(const struct least_estimate *estimate)
{
    double half = student_of(1.959963984540054, (double)estimate->freedom) * estimate->error;
    return (struct interval){estimate->value, estimate->value - half, estimate->value + half, 1};
}

/* Copies the estimates that are not clearly above the minimum; returns their number. */
static size_t choose(const struct least_estimate *estimates, size_t count, struct least_estimate *chosen)
{
    const struct least_estimate *least = &estimates[find_least(estimates, count)];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        double error = hypot(estimates[i].error, least->error);
        if (&estimates[i] == least || estimates[i].value - least->value < CLEARLY_ABOVE * error)
            chosen[kept++] = estimates[i];
    }
    return kept;
}

/* Candidate positions of the minimum, denser towards the upper end, which the best estimate sets. */
struct places {
    double high, range;
};

static double place_of(const struct places *places, double number)
{
    return places->high - places->range * pow(1 - number / (PLACES - 1), 3);
}

static struct places set_places(const struct least_estimate *chosen, size_t count)
{
    double low = INFINITY;
    double high = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double reach = fmin(MOST_ERRORS, student_of(DEVIATES, (double)chosen[i].freedom)) * chosen[i].error;
        low = fmin(low, chosen[i].value - reach);
        high = fmin(high, chosen[i].value + reach);
    }
    return (struct places){high, high - low};
}

/* The likelihood of an estimate whose number is anywhere from place to place + reach. */
static double anywhere(const struct least_estimate *estimate, double place, double reach)
{
    double freedom = (double)estimate->freedom;
    double t = (estimate->value - place) / estimate->error;
    return (below(t, freedom) - below(t - reach / estimate->error, freedom)) / reach;
}

/* The likelihood of the estimates if the minimum is at that place: one of them estimates the minimum, each
 * other one the minimum or a larger number. */
static double likelihood(const struct least_estimate *chosen, size_t count, double largest, double place)
{
    double at[LEAST_MOST];
    double above[LEAST_MOST][REACHES];
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double t = (chosen[i].value - place) / chosen[i].error;
        at[i] = largest / chosen[i].error * density(t, (double)chosen[i].freedom);
        for (size_t k = 0; k < REACHES; k++)
            above[i][k] = largest / 2 *
                          (anywhere(&chosen[i], place, reaches[k] * chosen[i].error) +
                           anywhere(&chosen[i], place, reaches[k] * largest));
    }
    for (size_t s = 0; s < SHARES; s++)
        for (size_t k = 0; k < REACHES; k++) {
            double product = 1;
            double one = 0;
            for (size_t i = 0; i < count; i++) {
                double either = fmax(1e-300, shares[s] * at[i] + (1 - shares[s]) * above[i][k]);
                product *= either;
                one += at[i] / either;
            }
            sum += product * one;
        }
    return sum;
}

/* The place below which this share of the likelihood lies. */
static double quantile(const double *sums, const struct places *places, double share)
{
    double wanted = share * sums[PLACES - 1];
    size_t i = 1;
    while (i + 1 < PLACES && sums[i] < wanted)
        i++;
    double part = sums[i] > sums[i - 1] ? (wanted - sums[i - 1]) / (sums[i] - sums[i - 1]) : 0;
    double from = place_of(places, (double)i - 1);
    return from + fmax(0, fmin(1, part)) * (place_of(places, (double)i) - from);
}

/* Replaces errors of 0 (AS_EXACT); returns the largest error. */
static double raise_errors(struct least_estimate *chosen, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, chosen[i].error);
    for (size_t i = 0; i < count; i++)
        chosen[i].error = fmax(chosen[i].error, AS_EXACT * largest);
    return largest;
}

/* The estimate with the lowest upper end, so that a very uncertain one is not chosen by luck. */
static size_t find_surest(const struct least_estimate *estimates, size_t count)
{
    size_t surest = 0;
    for (size_t i = 1; i < count; i++)
        if (estimates[i].value + estimates[i].error < estimates[surest].value + estimates[surest].error)
            surest = i;
    return surest;
}

struct interval least_of(const struct least_estimate *estimates, size_t count, size_t *which)
{
    struct least_estimate chosen[LEAST_MOST] = {0};
    double sums[PLACES];
    size_t kept = choose(estimates, count, chosen);
    *which = find_surest(estimates, count);
    if (kept == 1)
        return alone(chosen);
    double largest = raise_errors(chosen, kept);
    const struct places places = set_places(chosen, kept);
    sums[0] = 0;
    for (size_t i = 1; i < PLACES; i++) {
        double from = place_of(&places, (double)i - 1);
        double to = place_of(&places, (double)i);
        sums[i] = sums[i - 1] + (to - from) * likelihood(chosen, kept, largest, (from + to) / 2);
    }
    return (struct interval){quantile(sums, &places, 0.5), quantile(sums, &places, 0.025),
                             quantile(sums, &places, 0.975), kept};
}
