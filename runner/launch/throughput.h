/* The speed of a device's program in its repetitions: bytes per second of each level, ticks per load.
 * Computed from a point's line of results (DESIGN.md section 7) after its measurement and before its
 * verdict. */
#ifndef RUNNER_LAUNCH_THROUGHPUT_H
#define RUNNER_LAUNCH_THROUGHPUT_H

#include "runner/results/observation.h"

#include <jansson.h>

/* Adds, by the source "record":
 * - bandwidth.LEVEL, in bytes a second, "inferred": what the plan has the level serve, loads and stores, in
 *   whole sectors, over the seconds from the first block's begin to the last one's end;
 * - ticks_per_load and loads_per_tick, "measured", of the loads of all threads together.
 * sector: bytes of what point["per_pass"] counts as transfers. Adds nothing for a program of the processor,
 * or where the device has no timer. */
void throughput_observe(const json_t *point, unsigned sector, struct observations *list);

#endif
