/* Square waves of load on this machine's processors. They have several periods, and the length of each half
 * wave is random, so that no sensor's own period falls into step with them. The processors of each package
 * (die) are a part with waves of its own, so that the parts' shares of a sensor's values can be
 * distinguished.
 */
#ifndef RUNNER_POWER_LOAD_WAVES_H
#define RUNNER_POWER_LOAD_WAVES_H

#include "base/error.h"
#include "runner/power/wave_response.h"

#include <stdint.h>

enum { LOAD_CPUS = 1024 };

/* The processors to load: all that are available to this process but one, which reads the sensors. */
struct load_cpus {
    int cpus[LOAD_CPUS];
    size_t parts[LOAD_CPUS]; /* the part of each */
    size_t count, part_count;
};

struct load_cpus load_cpus_here(void);

/* Plans waves for that many parts, which begin at from_s and last `seconds` (at least 0.1). Free with
 * load_waves_free. */
struct load_waves load_waves_plan(size_t parts, double from_s, double seconds, uint64_t seed);

/* Drives the waves and returns when they are over; replaces the planned load by the load that the processors
 * had. STATUS_FAILED when no process can be created. */
enum status load_waves_drive(const struct load_cpus *cpus, struct load_waves *waves, struct error *error);

void load_waves_free(struct load_waves *waves);

#endif
