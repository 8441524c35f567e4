/* Whether power measurements allow a statement (DESIGN.md section 8). They do not with noise, a sensor that
 * is too slow or too coarse, wrong readings, an impossible power, a saturated meter, or a level or a
 * temperature that changes. Pure arithmetic. */
#ifndef RUNNER_POWER_MEASUREMENT_QUALITY_H
#define RUNNER_POWER_MEASUREMENT_QUALITY_H

#include "base/stats.h"
#include "runner/results/result_point.h"

#include <stdbool.h>
#include <stddef.h>

/* Repetitions and idle intervals must last this many times the time in which readings follow a change. */
extern const double POWER_SETTLED;

/* Facts about a point's power, of one channel or of the headline. Unknown facts (NAN, or NULL and 0) do not
 * affect the verdict. */
struct power_quality_case {
    const double *watts; /* of each repetition */
    size_t count;
    const double *idle_w; /* the parts of the idle intervals, those before the run first */
    size_t idle_count;
    size_t idle_before;        /* number of those before the run */
    struct interval dynamic_w; /* from energy_parts; not used without idle_w */
    bool idles;                /* nothing ran: a dynamic power of 0 is expected */

    double seconds;         /* of the shortest repetition's loop */
    double update_s;        /* time between the sensor's changes */
    double step_j;          /* the smallest step of an energy counter */
    double step_w;          /* the smallest step of a power */
    double first_c, last_c; /* temperature at the end of the first and of the last repetition */
    const double *readings; /* power readings during the repetitions, without those that are left out */
    size_t reading_count;

    double settled_s;    /* from a change of power until the readings have followed it; 0: at once */
    double idle_s;       /* the longest idle interval */
    bool whole_runs;     /* watts are of whole runs, less a run of no passes */
    double loop_drift_w; /* median change from the first to the last third of the repetitions' loops; NAN:
                            unknown, or smaller than its range */
    size_t wrong;        /* readings far from those before and after them, too many to be left out, */
    size_t wrong_of;     /* of this many, */
    double wrong_w;      /* and one of them */
    double most_w;       /* the most that the programs can draw; 0: unknown */
    bool of_all;         /* it measures a whole machine, and not a part, which may draw nothing */
};

enum { POWER_REASON_BYTES = 512 };

struct power_quality_verdict {
    bool trustworthy;
    char reason[POWER_REASON_BYTES]; /* a sentence, also if trustworthy */
};

/* The first of these that applies makes the measurement untrustworthy:
 * - no idle level to compare with, fewer than 3 repetitions, which show no spread, or one without a reading;
 * - a sensor that never changed;
 * - wrong readings, more than one in 20;
 * - a power below 0, a dynamic power above most_w, or a machine that draws less than 0.1 W;
 * - repetitions of fewer than 10 of the sensor's updates; repetitions or idle intervals of less than
 *   POWER_SETTLED times the time in which its readings follow a change (the reason states a sufficient time);
 * - a meter at the end of its range: of at least 20 readings three of ten are the highest one, although the
 *   other readings or the idle ones vary by several of its steps;
 * - a dynamic power whose interval contains 0 or extends by more than a quarter of it to one side; for an
 *   idle point, an interval that extends from its middle by more than a twentieth of the static power;
 * - steps of the sensor above a tenth of the dynamic power or energy (the reason states a sufficient time);
 * - a power that rises or falls from repetition to repetition, or within them, or an idle level within its
 *   intervals, by more than a tenth of the dynamic power and more than the rest of its spread;
 * - idle levels before and after that differ by more than a fifth of the dynamic power and by more than the
 *   idle readings' own spread;
 * - a temperature that changed by more than 5 C from the first repetition to the last. */
struct power_quality_verdict power_quality(const struct power_quality_case *of);

/* "trustworthy" or "untrustworthy". */
const char *power_quality_word(bool trustworthy);

/* Makes the verdict of power, and of its sensors, untrustworthy for a reason other than its readings, and
 * puts that reason first. Texts are in the arena. */
void power_quality_doubt(struct result_power *power, const char *reason, struct arena *arena);

#endif
