/* The core's actual clock, observed rather than queried: from a chain of dependent additions, one cycle each,
 * timed by the time-stamp counter; and from the counters APERF and MPERF if they are readable, which count
 * while programs run. */
#ifndef RUNNER_CONDITIONS_CORE_CLOCK_H
#define RUNNER_CONDITIONS_CORE_CLOCK_H

#include "base/error.h"
#include "runner/probe/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CORE_CLOCK_SAMPLES = 12 };

/* All zeros: measures nothing. */
struct core_clock {
    struct probe_code chain;
};

/* Close it with core_clock_close. Errors as probe_code_make. */
enum status core_clock_open(struct core_clock *clock, struct error *error);
void core_clock_close(struct core_clock *clock);

/* Samples the current core cycles per tick of the time-stamp counter on that logical processor; takes some
 * milliseconds in its own thread. Returns the number of samples, 0 when this process may not use the
 * processor. */
size_t core_clock_sample(const struct core_clock *clock, int cpu, double samples[CORE_CLOCK_SAMPLES]);

/* Source: Intel, "Software Developer's Manual" 3B, 15.2 (E7h, E8h); AMD has the same. MPERF counts at the
 * rate of the time-stamp counter and APERF at the core's, both only while it is not idle. */
struct aperf {
    uint64_t actual, reference;
};

/* Reads /dev/cpu/N/msr below the root. False when it cannot be read. */
bool aperf_read(const char *root, int cpu, struct aperf *now);

/* Core cycles per tick between the two; NAN when nothing was counted. */
double aperf_ratio(const struct aperf *before, const struct aperf *now);

#endif
