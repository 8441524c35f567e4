/* Results of a machine whose energies are known: power meters of a stated noise, step and period watch its
 * programs, with the idle power drifting as it warms and fans that come on. */
#ifndef TESTS_SYNTHETIC_H
#define TESTS_SYNTHETIC_H

#include "base/random.h"
#include "model/data/dataset.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

struct synthetic_meter {
    double noise_w; /* standard deviation of a reading */
    double step_w;  /* readings are multiples of it; 0: of any value */
    double period_s;
    double limit_w; /* it reads no more; 0: it does */
    double shift;   /* of all that it reads of a point's runs, and no repetition shows, as a share */
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

/* What the meter makes of all of a point's runs. */
static inline double synthetic_shift(const struct synthetic_meter *meter, struct random *random)
{
    return meter->shift > 0 ? 1 + meter->shift * synthetic_normal(random) : 1;
}

/* What many trials told of one number: how often its interval held it, and how wide it was against what the
 * trials scatter, which is what the noise forces. */
struct synthetic_tally {
    size_t trials, inside;
    double sum, squares, width; /* of what was found over the truth; of widths over the truth */
};

static inline void synthetic_count(struct synthetic_tally *tally, double truth, double value, double low,
                                   double high)
{
    double off = value / truth - 1;
    tally->trials++;
    tally->inside += low <= truth && truth <= high;
    tally->sum += off;
    tally->squares += off * off;
    tally->width += (high - low) / fabs(truth);
}

/* How much wider than forced; that is itself unsure by a share of 1 / sqrt(2 trials). */
static inline double synthetic_width(const struct synthetic_tally *tally)
{
    double n = (double)tally->trials;
    double mean = tally->sum / n;
    double forced = 2 * 1.96 * sqrt(fmax(0, tally->squares / n - mean * mean));
    return forced > 0 ? tally->width / n / forced : 0;
}

/* Prints it and says whether nine of ten intervals held the truth, and were not wider than `wider` times what
 * is forced. */
static inline bool synthetic_good(const struct synthetic_tally *tally, const char *trial, const char *name,
                                  double wider)
{
    double wide = synthetic_width(tally);
    bool good = 10 * tally->inside >= 9 * tally->trials && wide <= wider;
    printf("%s %-28s %-20s inside %zu of %zu, %.2f times as wide as forced, off by %+.2g\n",
           good ? "  " : "!!", trial, name, tally->inside, tally->trials, wide,
           tally->sum / (double)tally->trials);
    return good;
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
