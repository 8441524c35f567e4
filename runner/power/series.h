/* What one channel told over time, and what passed between two moments of it. Arithmetic alone. */
#ifndef RUNNER_POWER_SERIES_H
#define RUNNER_POWER_SERIES_H

#include "base/stats.h"
#include "runner/power/sensor.h"

#include <stdbool.h>
#include <stddef.h>

/* All zeros is empty. Times rise; a reading that told nothing is not in it. */
struct series {
    double *t_s; /* clock_now_s */
    double *values;
    size_t count, capacity;
};

void series_add(struct series *series, double t_s, double value);

/* Forgets all samples and keeps the room. */
void series_clear(struct series *series);

void series_free(struct series *series);

/* Joules from one moment to a later one: a counter's difference, its wraps undone and interpolated between
 * the moments at which it moved; or the trapezoids over the samples of a power, interpolated at both ends.
 * NAN when the samples do not reach both ends (a period of slack is allowed at each: `slack_s`), when there
 * are less than two, when a counter that does not wrap fell, or when a power told nothing in between,
 * or nothing for longer than the slack and half of the time. */
double series_energy(const struct series *series, const struct sensor_channel *channel, double from_s,
                     double to_s, double slack_s);

/* The time-weighted mean of a temperature, power or clock in between; NAN when nothing was told then. */
double series_mean(const struct series *series, double from_s, double to_s);

/* The last value told at or before the moment; NAN when there is none. */
double series_at(const struct series *series, double t_s);

/* How the channel moves, as far as the samples show it. */
struct series_facts {
    double update_s;   /* median time from one change to the next; NAN: fewer than 4 changes */
    double resolution; /* the least step between two values; NAN: it never changed */
    double spacing_s;  /* mean time from one sample to the next; NAN: fewer than 2 samples */
};

struct series_facts series_look(const struct series *series);

#endif
