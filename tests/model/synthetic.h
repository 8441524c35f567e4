/* Results of a machine whose energies are known: power meters of a stated noise, step and period watch its
 * programs, with the idle power drifting as it warms and fans that come on. */
#ifndef TESTS_SYNTHETIC_H
#define TESTS_SYNTHETIC_H

#include "base/random.h"
#include "model/dataset.h"

#include <jansson.h>
#include <math.h>

struct synthetic_meter {
    double noise_w; /* standard deviation of a reading */
    double step_w;  /* readings are multiples of it; 0: of any value */
    double period_s;
    double limit_w; /* it reads no more; 0: it does */
};

/* A reading's mean and how far off it may be. */
struct synthetic_mean {
    double value, error;
};

static inline double synthetic_uniform(struct random *random)
{
    return (random_next(random) + 0.5) / 4294967296.0;
}

static inline double synthetic_normal(struct random *random)
{
    double radius = sqrt(-2 * log(synthetic_uniform(random)));
    return radius * cos(6.283185307179586 * synthetic_uniform(random));
}

static inline double synthetic_reading(const struct synthetic_meter *meter, double watts,
                                       struct random *random)
{
    watts += meter->noise_w > 0 ? meter->noise_w * synthetic_normal(random) : 0;
    if (meter->step_w > 0)
        watts = meter->step_w * round(watts / meter->step_w);
    return meter->limit_w > 0 ? fmin(watts, meter->limit_w) : watts;
}

/* Of power that goes evenly from one value to the other. */
static inline struct synthetic_mean synthetic_watch(const struct synthetic_meter *meter, double from_w,
                                                    double to_w, double seconds, struct random *random)
{
    size_t count = (size_t)fmax(2, floor(seconds / meter->period_s));
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double at = ((double)i + 0.5) / (double)count;
        double off = synthetic_reading(meter, from_w + at * (to_w - from_w), random) - from_w;
        sum += off;
        squares += off * off;
    }
    double n = (double)count;
    double variance = fmax(0, squares / n - sum / n * sum / n);
    return (struct synthetic_mean){from_w + sum / n, sqrt(variance / (n - 1))};
}

static inline json_t *synthetic_interval(double value, double error)
{
    return json_pack("{s:f, s:f, s:f, s:i}", "value", value, "low", value - 1.96 * error, "high",
                     value + 1.96 * error, "n", 10);
}

/* A metric as a counter would have told it. */
static inline json_t *synthetic_rate(double value)
{
    return json_pack("{s:[{s:s, s:s, s:f, s:f, s:f}]}", "observations", "source", "perf", "kind", "measured",
                     "value", value, "low", value, "high", value);
}

/* The idle level of a point, as the idle before and after it tell. */
static inline struct synthetic_mean synthetic_idle(const struct synthetic_meter *meter, double before_w,
                                                   double after_w, double seconds, struct random *random)
{
    struct synthetic_mean before = synthetic_watch(meter, before_w, before_w, seconds, random);
    struct synthetic_mean after = synthetic_watch(meter, after_w, after_w, seconds, random);
    return (struct synthetic_mean){(before.value + after.value) / 2, hypot(before.error, after.error) / 2};
}

#endif
