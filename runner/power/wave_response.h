/* Determines a power sensor's response from its readings under a known load: how often it updates, over which
 * time it averages, how late it reports, which share of the time its values cover, and by how much it rises.
 * Pure arithmetic.
 *
 * The model: once per period the sensor takes a new value. The value is an offset and a drift plus, for each
 * part of the machine, a rise times the part's filtered load. The filter is the mean over the window before
 * the moment (box), or has weights that decay by a time constant (exponential), both earlier by the lag. A
 * counter's value is its increase from one update to the next. */
#ifndef RUNNER_POWER_WAVE_RESPONSE_H
#define RUNNER_POWER_WAVE_RESPONSE_H

#include "base/stats.h"
#include "runner/power/series.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOAD_PARTS = 8 };

/* The part's load from t_s (clock_now_s) until the next step. */
struct load_step {
    double t_s, level; /* level: 0 to 1 */
};

/* Steps ascend in time; before the first there is no load. */
struct load_part {
    struct load_step *steps;
    size_t count;
};

struct load_waves {
    struct load_part parts[LOAD_PARTS];
    size_t count;
    double from_s, to_s;
};

/* Intervals of 95 %; a value is NAN where the readings do not show it. */
struct wave_response {
    struct interval update_s;
    bool update_is_bound; /* it changes at nearly every reading, and may update more often */
    bool follows;         /* it follows the load; if not, everything below is NAN */
    bool exponential;     /* window_s is a time constant */
    bool window_is_bound; /* an upper bound: the readings cannot show a shorter window */
    struct interval window_s, lag_s;
    struct interval sampled;            /* share of the time that its values cover */
    struct interval rise_w[LOAD_PARTS]; /* with each part under load */
    struct interval total_w;            /* with all parts under load */
    double idle_w;                      /* without load */
};

/* series: recorded under the load, read at least twice per update, or as the sensor sent it (sends). waves:
 * NULL: determine only the updates. */
struct wave_response wave_response_find(const struct series *series, const struct sensor_channel *channel,
                                        bool sends, const struct load_waves *waves);

/* a over b, two rises measured at the same time, with the uncertainty of both. */
struct interval wave_response_ratio(struct interval a, struct interval b);

#endif
