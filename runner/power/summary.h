/* Computes a point's power entries (DESIGN.md section 7) from the recording. */
#ifndef RUNNER_POWER_SUMMARY_H
#define RUNNER_POWER_SUMMARY_H

#include "runner/power/energy.h"
#include "runner/power/power_view.h"
#include "runner/results/result_point.h"

#include <stdbool.h>
#include <stddef.h>

/* Joules by channel in the window, for energy and power channels with data. The list is in the arena; the
 * names are the meters'. */
struct result_values summary_energies(const struct recorder *recorder, struct window window,
                                      struct arena *arena);

/* The same for a loop, without wrong readings. For a slow meter, the power once its readings have followed
 * the change counts for the whole loop. */
struct result_values summary_loop_energies(const struct power_view *view, struct window window,
                                           struct arena *arena);

/* Joules in the window by the meter of the highest rank, which is the headline; NAN: unknown. */
double summary_headline_joules(const struct recorder *recorder, struct window window);

/* Degrees Celsius by thermometer, the latest at that moment. The list is in the arena; the names are the
 * meters'. */
struct result_values summary_temperatures(const struct recorder *recorder, double t_s, struct arena *arena);

/* The point's "power":
 * - "power.static_w", "power.dynamic_w", "power.total_w" and "energy.dynamic_j" of the headline: the sum of
 * the whole channels of the meter of the highest rank. For a GPU's programs, only external meters and the
 * GPU's own count. "from": those channels; "sensors": the same for each channel alone, or the "reason" why
 * there are none.
 * - "verdict" and "reason", of the headline and of each channel: whether the numbers allow a statement
 *   (measurement_quality.h). "left_out": repetitions and readings that do not count (below, and
 * power_view.h). "lag_s", "window_s" and "filter": how the meter follows a change (power_view.h).
 * - With both an external meter and one of the chip: "inside", the chip's channels; "power.outside_w", the
 *   dynamic power outside of the chip; and "power.fans_w", the part of it present only while the programs ran
 *   (Kestor et al. 2013, section III).
 * - With a published idle power: "power.constant_w", the idle power besides the processor's, and
 *   "power.cpu_w", the total without it (Joseph et al. 2001, section 3).
 * {} without meters. out: NULL, or set for each repetition to whether the headline leaves it out. Texts are
 * in the arena. */
struct result_power summary_power(const struct power_view *view, bool *out, struct arena *arena);

/* Seconds that a repetition must last for the meter of the highest rank to reach that relative precision of
 * energy, from its update period and resolution observed so far; 0 when unknown. */
double summary_needed_seconds(struct recorder *recorder, const char *device, double precision);

/* ---- repetitions that are kept ---- */

/* Which repetitions of a point count towards its power: those in which no counter was reset, and that agree
 * with the majority. Pure arithmetic. */

enum { KEPT_REPS_TEXT = 320 };

struct kept_reps_facts {
    const double *watts;       /* of each repetition; NAN: unknown */
    const double *pass_s;      /* seconds per pass of each; NULL: unknown */
    const char *const *resets; /* the counter that was reset in it; NULL: none was */
    size_t count;
    double idle_w; /* NAN: unknown */
};

/* Sets out[count], and the text that names the repetitions that are out, with the reason ("": none). Returns
 * how many stay: at least three, and three fifths of all. A repetition is out if a counter was reset in it,
 * or if its power above the idle level, or its time per pass, is far from those of all that stay: by more
 * than four times their range, and by more than a tenth of the power, or a twentieth of the time. */
size_t kept_reps_choose(const struct kept_reps_facts *of, bool *out, char text[KEPT_REPS_TEXT]);

#endif
