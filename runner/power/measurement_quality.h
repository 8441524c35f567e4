/* Whether power measurements allow a statement (DESIGN.md section 8). Noise, a sensor that is too slow or too
 * coarse, a saturated meter, or a changing temperature forbid one. Pure arithmetic. */
#ifndef RUNNER_POWER_MEASUREMENT_QUALITY_H
#define RUNNER_POWER_MEASUREMENT_QUALITY_H

#include "base/stats.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Facts about a point's power, of one channel or of the headline. Unknown facts (NAN, or NULL and 0) forbid
 * nothing. */
struct power_quality_case {
    const double *watts; /* of each repetition */
    size_t count;
    const double *idle_w; /* the parts of the idle intervals, those before the run first */
    size_t idle_count;
    size_t idle_before;        /* how many of them were before the run */
    struct interval dynamic_w; /* from energy_parts; not used without idle_w */
    bool idles;                /* nothing ran: a dynamic power of 0 is expected */

    double seconds;         /* of the shortest repetition's loop */
    double update_s;        /* time between the sensor's changes */
    double step_j;          /* the smallest step of an energy counter */
    double step_w;          /* the smallest step of a power */
    double first_c, last_c; /* temperature at the end of the first and of the last repetition */
    const double *readings; /* power readings during the repetitions, unprocessed */
    size_t reading_count;
};

enum { POWER_REASON_BYTES = 512 };

struct power_quality_verdict {
    bool trustworthy;
    char reason[POWER_REASON_BYTES]; /* a sentence, also if trustworthy */
};

/* The first of these that holds forbids a statement:
 * - no idle level to compare with, fewer than 3 repetitions, which show no spread, or one without a reading;
 * - a sensor that never changed;
 * - repetitions of fewer than 10 of the sensor's updates (the reason gives a sufficient time);
 * - a meter at the end of its range: three of ten of at least 20 readings are the highest one,
 *   although the other readings or the idle ones vary by several of its steps;
 * - a dynamic power whose interval contains 0; for an idle point, an interval that extends from its middle
 *   by more than a twentieth of the static power;
 * - steps of the sensor above a tenth of the dynamic power or energy (the reason gives a sufficient time);
 * - idle levels before and after that differ by more than a fifth of the dynamic power and by more than the
 *   idle readings' own spread;
 * - a temperature that changed by more than 5 C from the first repetition to the last. */
struct power_quality_verdict power_quality(const struct power_quality_case *of);

/* Sets "verdict" ("trustworthy" or "untrustworthy") and "reason" on the object. */
void power_quality_set(json_t *object, const struct power_quality_verdict *verdict);

#endif
