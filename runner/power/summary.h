/* From what was recorded to what a point's line says of power (DESIGN.md section 7). */
#ifndef RUNNER_POWER_SUMMARY_H
#define RUNNER_POWER_SUMMARY_H

#include "runner/power/energy.h"
#include "runner/power/recorder.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* When what of a point was. The recording has ended. */
struct summary_windows {
    const struct window *loops; /* of each repetition; NAN: not told */
    const struct window *runs;  /* of each repetition's processes, from start to end */
    size_t count;
    const struct window *start; /* of a run of no passes, that is taken from each run; NULL: loops count */
    struct window idle[2];
    size_t idle_count;
    bool idles;              /* no program ran */
    const char *device;      /* PCI address of the GPU that ran the programs; NULL: processors did */
    double published_idle_w; /* of the processor alone, as its machine file says; 0: not known */
};

/* {channel: joules} of the window, of channels of energy and power that told it. New reference. */
json_t *summary_energies(const struct recorder *recorder, struct window window);

/* {channel: degrees Celsius} as last told at the moment. New reference. */
json_t *summary_temperatures(const struct recorder *recorder, double t_s);

/* Of a GPU's programs the meters are external ones and the GPU's own.
 *
 * The point's "power": "power.static_w", "power.dynamic_w", "power.total_w" and "energy.dynamic_j" of the
 * meter of the highest rank, the sum of its whole channels; "from": those channels; and "sensors": the same
 * of each channel alone, or the "reason" why it told none. Where there are both an external meter and one of
 * the chip: "inside", the chip's channels; "power.outside_w", the dynamic power that these do not see; and
 * "power.fans_w", how much of that came only while the programs ran (Kestor et al. 2013, section III). With a
 * published idle power: "power.constant_w", what idles besides the processor, and "power.cpu_w", the total
 * without it (Joseph et al. 2001, section 3). "verdict" and "reason", of the headline and of each channel,
 * say whether the numbers allow a statement (trust.h).
 * {} when no meter is there. New reference. */
json_t *summary_power(const struct recorder *recorder, const struct summary_windows *windows);

/* Seconds that a repetition has to last for the meter of the highest rank to tell its energy to that relative
 * precision, as its update period and resolution were seen so far; 0 when that is not known. */
double summary_wished_seconds(struct recorder *recorder, const char *device, double precision);

#endif
