/* A recording as power is computed from it: single wrong readings are left out, and it is known how each
 * meter follows a change of power, so that what still shows the phase before is not used. */
#ifndef RUNNER_POWER_POWER_VIEW_H
#define RUNNER_POWER_POWER_VIEW_H

#include "runner/power/energy.h"
#include "runner/power/recorder.h"
#include "runner/power/series.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- how a meter follows a change ---- */

/* How a power meter follows a change of power: most average over some time, and report late. Found by least
 * squares from its readings in phases of known times. Pure arithmetic. */

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

/* ---- the view ---- */

struct channel_view {
    const struct series *series; /* the recorder's, or the cleaned one */
    struct series cleaned;
    double spacing_s; /* mean time from one reading to the next; 0: unknown */
    double update_s;  /* between the sensor's own changes; NAN: unknown */

    /* Of powers: readings far from those before and after them, that no phase draws. */
    size_t wrong, readings;
    double wrong_w, wrong_s; /* the first of them, and when after the first mark */
    bool many;               /* too many to be left out: they are still in */

    bool responds; /* the response is known */
    struct meter_response response;
};

/* Of one recording, which it must not outlive. */
struct power_view {
    const struct recorder *recorder;
    const struct phase_windows *windows;
    struct channel_view *channels; /* of meter m, channel c: [m * SENSOR_LIST_CHANNELS + c] */
};

/* Free with power_view_free. */
void power_view_open(const struct recorder *recorder, const struct phase_windows *windows,
                     struct power_view *view);

const struct channel_view *power_view_channel(const struct power_view *view, size_t meter, size_t channel);

/* From a change of power until the channel's readings have followed it; 0 where nothing longer shows. */
double power_view_settled(const struct channel_view *channel);

/* The part of the window that shows its power alone: without `share` of it at both ends, and without the
 * first settled_s. May be empty (to_s <= from_s). */
struct window power_view_inside(struct window window, double share, double settled_s);

void power_view_free(struct power_view *view);

#endif
