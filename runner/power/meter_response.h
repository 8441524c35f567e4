/* How a power meter follows a change of power: most average over some time, and report late. Found by least
 * squares from its readings in phases of known times. Pure arithmetic. */
#ifndef RUNNER_POWER_METER_RESPONSE_H
#define RUNNER_POWER_METER_RESPONSE_H

#include "runner/power/series.h"

#include <stdbool.h>
#include <stddef.h>

/* A time of constant, unknown power. Phases ascend and do not overlap; those with the same level draw the
 * same power. What lies before, between and after them has levels of its own. */
struct meter_phase {
    double from_s, to_s;
    size_t level; /* below the number of phases */
};

enum meter_filter {
    METER_INSTANT,     /* no window is seen: it is shorter than the time between readings */
    METER_AVERAGE,     /* the mean of the last window_s */
    METER_EXPONENTIAL, /* a filter of first order; window_s is its time constant */
    METER_FILTERS
};

struct meter_response {
    enum meter_filter filter;
    double lag_s;     /* from a change of power to its first trace in the readings */
    double window_s;  /* what a reading averages over, after that */
    double settled_s; /* from a change of power until readings are off by at most 0.5 % of it */
    double noise_w;   /* of the readings, once the phases' levels and the response are taken away */
    double change_w;  /* the largest change from one level to the next */
};

/* "average", "exponential", "instant". */
const char *meter_filter_name(enum meter_filter filter);

/* series: of a power, without single wrong readings. update_s: the time between the meter's own changes (NAN:
 * unknown), during which it repeats its value. False if the readings cannot show the response: fewer than 20
 * of them, no change of level as large as their noise, or changes that the phases do not explain. */
bool meter_response_find(const struct series *series, double update_s, const struct meter_phase *phases,
                         size_t count, struct meter_response *found);

#endif
