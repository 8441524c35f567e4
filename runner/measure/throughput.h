/* The speed of a device's program in its repetitions: bytes per second of each level, ticks per load.
 * Computed after a point's measurement and before its verdict. */
#ifndef RUNNER_MEASURE_THROUGHPUT_H
#define RUNNER_MEASURE_THROUGHPUT_H

#include "generator/suite/manifest_read.h"
#include "runner/results/result_point.h"

/* Adds, with the source "record":
 * - bandwidth.LEVEL, in bytes per second, "inferred", where the plan assigns all loads and stores to that
 *   level: these, in whole sectors, over the seconds from the first block's begin to the last one's end;
 * - ticks_per_load and loads_per_tick, "measured", of the loads of all threads together.
 * - pass.ns, and where ticks are cycles pass.cycles; of a chase by one thread latency.LEVEL_ns and
 * latency.LEVEL, "inferred" as the plan assigns its loads to the level. sector: bytes per transfer of the
 * manifest. Adds nothing for a processor's program, or if the device has no timer. */
void throughput_observe(const struct result_point *point, const struct manifest *manifest, unsigned sector,
                        struct observations *list);

#endif
