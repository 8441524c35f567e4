/* What clock the measured processors had while a point was measured: what the system says of it (cpufreq),
 * and what the core shows. */
#ifndef RUNNER_CONDITIONS_CLOCK_WATCH_H
#define RUNNER_CONDITIONS_CLOCK_WATCH_H

#include "base/stats.h"
#include "runner/conditions/core_clock.h"
#include "runner/launch/moment.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct clock_sampler;

/* Begun with clock_watch_begin, ended with clock_watch_end. */
struct clock_watch {
    const char *root;
    const struct core_clock *clock;
    const int *cpus;
    size_t cpu_count;
    struct moment begin;
    bool has_aperf;
    struct aperf aperf;
    double samples[2 * CORE_CLOCK_SAMPLES];
    size_t before; /* how many of the samples there are so far */
    struct clock_sampler *sampler;
};

/* In GHz; n is 0 for what was not seen. */
struct clock_seen {
    struct interval cpufreq; /* median, least and most of what the system said */
    struct interval core;
    const char *core_by;              /* "aperf" or "chain" */
    double chain_before, chain_after; /* NAN: not seen */
};

/* Watches the logical processors, which stay the caller's; the core's clock is the first one's. The thread
 * that asks the system keeps off them where there are others. */
void clock_watch_begin(struct clock_watch *watch, const char *root, const struct core_clock *clock,
                       const int *cpus, size_t cpu_count);

void clock_watch_end(struct clock_watch *watch, struct clock_seen *seen);

/* {"cpufreq_ghz": interval, "core_ghz": interval, "core_by"} with what was seen; NULL where nothing was. New
 * reference. */
json_t *clock_seen_to_json(const struct clock_seen *seen);

/* Adds a warning where what was seen is not, within 2 %, what was wished for (GHz; NAN: no wish, then where
 * the core's clock moved by more than 5 %). allowed: it was to be set. */
void clock_seen_judge(const struct clock_seen *seen, double wished_ghz, bool allowed, json_t *warnings);

#endif
