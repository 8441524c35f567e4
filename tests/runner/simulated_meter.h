/* A meter that is known in every respect, and the power that it sees: pure functions of time. Included by
 * tests that have cmocka. */
#ifndef TESTS_RUNNER_SIMULATED_METER_H
#define TESTS_RUNNER_SIMULATED_METER_H

#include "base/random.h"

#include <math.h>
#include <stddef.h>

enum { LOAD_STEPS = 64 };

/* Steps of power: watts[i] from times[i] on. */
struct load {
    double times[LOAD_STEPS], watts[LOAD_STEPS];
    size_t count;
    double ripple_w; /* a wave of 50 Hz on all of it */
};

static inline void load_step(struct load *load, double t_s, double watts)
{
    load->times[load->count] = t_s;
    load->watts[load->count++] = watts;
}

/* Joules from the first step to the moment. */
static inline double load_joules(const struct load *load, double t_s)
{
    double turn = 100 * 3.14159265358979, sum = -load->ripple_w * cos(turn * t_s) / turn;
    for (size_t i = 0; i < load->count && (i == 0 || load->times[i] < t_s); i++) {
        double to_s = i + 1 < load->count ? fmin(load->times[i + 1], t_s) : t_s;
        sum += load->watts[i] * (to_s - load->times[i]);
    }
    return sum;
}

static inline double load_mean(const struct load *load, double from_s, double to_s)
{
    return (load_joules(load, to_s) - load_joules(load, from_s)) / (to_s - from_s);
}

/* The meter. 0 is none of it. */
struct simulated_meter {
    double lag_s, box_s, exponential_s;
    double update_s, offset_s; /* it repeats its value until it takes the next one */
    double noise_w, step_w;
};

static inline double meter_noise(struct random *random)
{
    double sum = -6; /* of twelve uniform ones: normal enough, and bounded */
    for (int i = 0; i < 12; i++)
        sum += random_below(random, 1u << 24) / (double)(1u << 24);
    return sum;
}

/* Without noise and steps, at the time at which it takes a value. */
static inline double meter_answer(const struct simulated_meter *meter, const struct load *load, double t_s)
{
    static const double SHORT_S = 1e-4;
    double to_s = t_s - meter->lag_s, sum = 0, rest = 1;
    if (meter->exponential_s <= 0)
        return load_mean(load, to_s - fmax(meter->box_s, SHORT_S), to_s);
    for (size_t i = load->count; i > 0 && load->times[i - 1] > -INFINITY; i--) {
        if (load->times[i - 1] >= to_s)
            continue;
        double before = i == 1 ? 0 : exp(-(to_s - load->times[i - 1]) / meter->exponential_s);
        sum += load->watts[i - 1] * (rest - before);
        rest = before;
    }
    return sum;
}

static inline double meter_reading(const struct simulated_meter *meter, const struct load *load, double t_s,
                                   double *taken_s, double *value, struct random *random)
{
    double at_s = meter->update_s > 0
                      ? meter->offset_s + meter->update_s * floor((t_s - meter->offset_s) / meter->update_s)
                      : t_s;
    if (at_s != *taken_s) {
        *taken_s = at_s;
        *value = meter_answer(meter, load, at_s) + meter->noise_w * meter_noise(random);
        if (meter->step_w > 0)
            *value = meter->step_w * round(*value / meter->step_w);
    }
    return *value;
}

#endif
