/* An interval in which nothing of ours runs: what the machine draws, and how it cools. */
#ifndef RUNNER_IDLE_H
#define RUNNER_IDLE_H

#include "runner/measure.h"

#include <jansson.h>

struct idle {
    double watts[MEASURE_CHANNELS]; /* of each channel; NAN where the sensor vanished */
    json_t
        *record; /* of an interval of at least 2 s, where there is something to read: {"seconds", "samples":
                    [{"t_s", "energy_j": {channel: since the begin}, "temperature_c": {thermometer}}]}, a
                    sample every 0.2 s as in Su et al. 2014; else NULL */
};

/* Waits. Free the record with json_decref. */
void idle_watch(const struct meters *meters, double seconds, struct idle *idle);

/* Waits, and looks at nothing. */
void idle_rest(double seconds);

/* {thermometer: degrees Celsius}. New reference. */
json_t *idle_temperatures(const struct meters *meters);

#endif
