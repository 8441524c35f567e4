/* The core's own clock, observed and not asked for: by a chain of dependent additions, which takes a cycle
 * each, against the time-stamp counter; and by the counters APERF and MPERF where they can be read, which
 * count while programs run. */
#ifndef RUNNER_CONDITIONS_CORE_CLOCK_H
#define RUNNER_CONDITIONS_CORE_CLOCK_H

#include "base/error.h"
#include "runner/probe/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CORE_CLOCK_SAMPLES = 12 };

/* All zeros measures nothing. */
struct core_clock {
    struct probe_code chain;
};

/* Close it with core_clock_close. Errors as probe_code_make. */
enum status core_clock_open(struct core_clock *clock, struct error *error);
void core_clock_close(struct core_clock *clock);

/* Core cycles a tick of the time-stamp counter, now, on that logical processor: some milliseconds in a thread
 * of its own. Returns how many samples there are, 0 when the processor is not this process's to use. */
size_t core_clock_sample(const struct core_clock *clock, int cpu, double samples[CORE_CLOCK_SAMPLES]);

/* Source: Intel, "Software Developer's Manual" 3B, 15.2 (E7h, E8h); AMD has the same. MPERF counts at the
 * rate of the time-stamp counter and APERF at that of the core, both while it does not idle. */
struct aperf {
    uint64_t actual, reference;
};

/* Through /dev/cpu/N/msr below the root. False when it cannot be read. */
bool aperf_read(const char *root, int cpu, struct aperf *now);

/* Core cycles a tick between the two; NAN when nothing was counted. */
double aperf_ratio(const struct aperf *before, const struct aperf *now);

#endif
