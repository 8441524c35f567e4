/* One channel's samples over time; their integrals and means between two moments. Pure arithmetic. */
#ifndef RUNNER_POWER_SERIES_H
#define RUNNER_POWER_SERIES_H

#include "base/stats.h"
#include "runner/power/sensor.h"

#include <stdbool.h>
#include <stddef.h>

/* All zeros is empty. Times ascend; readings without a value are not included. */
struct series {
    double *t_s; /* clock_now_s */
    double *values;
    size_t count, capacity;
};

void series_add(struct series *series, double t_s, double value);

/* Removes all samples but keeps the memory. */
void series_clear(struct series *series);

void series_free(struct series *series);

/* Joules between two moments: a counter's difference, unwrapped and interpolated between the moments at which
 * it changed; or the trapezoidal integral of power samples, interpolated at both ends. NAN when there are
 * fewer than two samples, when they miss an end by more than `slack_s`, when a counter was reset, or when a
 * power has no sample in between, or a gap that exceeds both the slack and half of the time. */
double series_energy(const struct series *series, const struct sensor_channel *channel, double from_s,
                     double to_s, double slack_s);

/* True if the counter was reset between the moments, or in a step that begins or ends between them: it fell
 * although it does not wrap, or by more than a wrap explains given its other steps, or rose by far more than
 * any machine draws. series_energy is NAN then. */
bool series_was_reset(const struct series *series, const struct sensor_channel *channel, double from_s,
                      double to_s);

/* The time-weighted mean of a temperature, power or clock in between; NAN without samples there. */
double series_mean(const struct series *series, double from_s, double to_s);

/* The standard deviation of the values in between; 0 with fewer than two. */
double series_spread(const struct series *series, double from_s, double to_s);

/* The last value at or before the moment; NAN when there is none. */
double series_at(const struct series *series, double t_s);

/* The channel's updates, as far as the samples show them. */
struct series_facts {
    double update_s;   /* median time between changes; NAN: fewer than 4 changes */
    double soonest_s;  /* the same at the first decile, as a value that stays the same hides updates */
    double resolution; /* smallest step between two values; NAN: it never changed */
    double spacing_s;  /* mean time between samples; NAN: fewer than 2 samples */
};

struct series_facts series_look(const struct series *series);

/* Whether two channels that are read together report the same power, compared just before each change of
 * either: counters then have a constant difference, and powers none. */
struct series_likeness {
    size_t changes; /* moments at which either changed */
    double share;   /* of the moments before them, the share with the usual difference */
};

struct series_likeness series_compare(const struct series *a, const struct series *b, bool counts);

#endif
