/* What a sensor of power shows of a load that is known at every moment: how often it updates, over which time
 * it averages, how late, which share of the time it sees, in which steps, and by how much it rises. Pure
 * arithmetic.
 *
 * The model: at moments that lie a period apart the sensor takes a new value, an offset and a drift plus, for
 * each part of the machine, a rise times the part's load as a filter shows it: the mean over the window
 * before the moment (box), or with weights that decay by a time constant (exponential), both earlier by the
 * lag. A counter's value is what it counts from one update to the next. */
#ifndef RUNNER_POWER_WAVE_RESPONSE_H
#define RUNNER_POWER_WAVE_RESPONSE_H

#include "base/stats.h"
#include "runner/power/series.h"

#include <stdbool.h>
#include <stddef.h>

enum { LOAD_PARTS = 8 };

/* From t_s (clock_now_s) on, until the next one, the part has that load: 0 none, 1 all of it. */
struct load_step {
    double t_s, level;
};

/* Its steps, ascending; before the first there is no load. */
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
    bool update_is_bound; /* it changes at nearly every reading: it may update more often */
    bool follows;         /* it follows the load; if not, all below is NAN */
    bool exponential;     /* window_s is a time constant */
    bool window_is_bound; /* the readings show no shorter one */
    struct interval window_s, lag_s;
    struct interval sampled;            /* share of the time that its values are of */
    struct interval rise_w[LOAD_PARTS]; /* of each part under load */
    struct interval total_w;            /* of all parts under load */
    double idle_w;                      /* of none */
};

/* series: read at least twice in each of its updates, or as the sensor sent it (sends), while the load was
 * driven. waves NULL: only its updates are of interest. */
struct wave_response wave_response_find(const struct series *series, const struct sensor_channel *channel,
                                        bool sends, const struct load_waves *waves);

/* a over b, two rises measured at the same time, with the interval that both leave. */
struct interval wave_response_ratio(struct interval a, struct interval b);

#endif
