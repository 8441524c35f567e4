/* A recording as power is computed from it: single wrong readings are left out, and it is known how each
 * meter follows a change of power, so that what still shows the phase before is not used. */
#ifndef RUNNER_POWER_POWER_VIEW_H
#define RUNNER_POWER_POWER_VIEW_H

#include "runner/power/energy.h"
#include "runner/power/meter_response.h"
#include "runner/power/recorder.h"

#include <stdbool.h>
#include <stddef.h>

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
