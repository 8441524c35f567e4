/* A recording as power is computed from it: without single wrong readings, and without readings that still
 * show the previous phase, as it determines how each meter follows a change of power. */
#ifndef RUNNER_POWER_POWER_VIEW_H
#define RUNNER_POWER_POWER_VIEW_H

#include "runner/power/energy.h"
#include "runner/power/recorder.h"
#include "runner/power/series.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- how a meter follows a change ---- */

/* Most power meters average over some time, and report late. How a meter follows a change is found by least
 * squares from its readings in phases of known times. Pure arithmetic. */

/* A time of constant, unknown power. Phases ascend and do not overlap; those with the same level draw the
 * same power. The times before, between and after them have levels of their own. */
struct meter_phase {
    double from_s, to_s;
    size_t level; /* below the number of phases */
};

enum meter_filter {
    METER_INSTANT,     /* no window shows: it is shorter than the time between readings */
    METER_AVERAGE,     /* the mean of the last window_s */
    METER_EXPONENTIAL, /* a filter of first order; window_s is its time constant */
    METER_FILTERS
};

struct meter_response {
    enum meter_filter filter;
    double lag_s;     /* from a change of power to its first trace in the readings */
    double window_s;  /* the time that a reading averages over, after the lag */
    double settled_s; /* from a change of power until readings are off by at most 0.5 % of it */
    double noise_w;   /* of the readings, less the phases' levels and the response */
    double change_w;  /* the largest change from one level to the next */
};

/* "average", "exponential", "instant". */
const char *meter_filter_name(enum meter_filter filter);

/* series: of a power, without single wrong readings. update_s: the time between the meter's own changes,
 * during which it repeats its value; NAN: unknown. False if the readings cannot show the response: there are
 * fewer than 20, no change of level is as large as their noise, or the phases do not explain the changes. */
bool meter_response_find(const struct series *series, double update_s, const struct meter_phase *phases,
                         size_t count, struct meter_response *found);

/* ---- the view ---- */

struct channel_view {
    const struct series *series; /* the recorder's, or the cleaned one */
    struct series cleaned;
    double spacing_s; /* mean time from one reading to the next; 0: unknown */
    double update_s;  /* between the sensor's own changes; NAN: unknown */

    /* Of powers: readings far from those before and after them, and from the power of all phases. */
    size_t wrong, readings;  /* the number of them, and of all readings */
    double wrong_w, wrong_s; /* the first of them, and its time since the first mark */
    bool many;               /* they are too many, and were not left out */

    bool responds; /* the response is known */
    struct meter_response response;
};

/* A view of one recording, which must outlive the view. */
struct power_view {
    const struct recorder *recorder;
    const struct phase_windows *windows;
    struct channel_view *channels; /* of meter m, channel c: [m * SENSOR_LIST_CHANNELS + c] */
};

/* Free with power_view_free. */
void power_view_open(const struct recorder *recorder, const struct phase_windows *windows,
                     struct power_view *view);

const struct channel_view *power_view_channel(const struct power_view *view, size_t meter, size_t channel);

/* Seconds from a change of power until the channel's readings have followed it; 0: unknown, or at once. */
double power_view_settled(const struct channel_view *channel);

/* The part of the window whose readings show only the window's power: without `share` of it at both ends, and
 * without the first settled_s. May be empty (to_s <= from_s). */
struct window power_view_inside(struct window window, double share, double settled_s);

void power_view_free(struct power_view *view);

#endif
