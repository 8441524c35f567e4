/* Watches the machine while a point is measured: the clock, other processes' load, the temperature. */
#ifndef RUNNER_CONDITIONS_POINT_WATCH_H
#define RUNNER_CONDITIONS_POINT_WATCH_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/conditions/snapshot.h"
#include "runner/launch/moment.h"
#include "runner/probe/code.h"
#include "runner/results/result_point.h"
#include "runner/results/warning.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The clock of the measured processors is observed in three ways: as the system reports it (cpufreq); by a
 * chain of dependent additions of one cycle each, timed by the time-stamp counter; and, if they are readable,
 * by the counters APERF and MPERF, which count while programs run. */

enum { CORE_CLOCK_SAMPLES = 12 };

/* All zeros: measures nothing. */
struct core_clock {
    struct probe_code chain;
};

/* Close it with core_clock_close. Errors as probe_code_make. */
enum status core_clock_open(struct core_clock *clock, struct error *error);
void core_clock_close(struct core_clock *clock);

/* Samples the present core cycles per tick of the time-stamp counter on that logical processor, for some
 * milliseconds and in a separate thread. Returns the number of samples; 0 when this process may not use the
 * processor. */
size_t core_clock_sample(const struct core_clock *clock, int cpu, double samples[CORE_CLOCK_SAMPLES]);

/* APERF counts at the core's rate and MPERF at that of the time-stamp counter, both only while the core is
 * not idle. Source: Intel, "Software Developer's Manual" 3B, 15.2 (E7h, E8h); AMD's are the same. */
struct aperf {
    uint64_t actual, reference;
};

/* Reads /dev/cpu/N/msr below the root. False when it cannot be read. */
bool aperf_read(const char *root, int cpu, struct aperf *now);

/* Core cycles per tick between the two; NAN when nothing was counted. */
double aperf_ratio(const struct aperf *before, const struct aperf *now);

struct clock_sampler;

/* Started with clock_watch_begin, ended with clock_watch_end. */
struct clock_watch {
    const char *root;
    const struct core_clock *clock;
    const int *cpus;
    size_t cpu_count;
    struct moment begin;
    bool has_aperf;
    struct aperf aperf;
    double samples[2 * CORE_CLOCK_SAMPLES];
    size_t before; /* number of samples before the point */
    struct clock_sampler *sampler;
};

/* The observed clock in GHz; n is 0 if it was not observed. */
struct clock_seen {
    struct interval cpufreq; /* median, minimum and maximum of the reported values */
    struct interval core;
    const char *core_by;              /* "aperf" or "chain" */
    double chain_before, chain_after; /* NAN: not observed */
};

/* Watches the logical processors; the caller keeps cpus valid. The core's clock is that of the first
 * processor. The thread that polls the system avoids these processors if there are others. */
void clock_watch_begin(struct clock_watch *watch, const char *root, const struct core_clock *clock,
                       const int *cpus, size_t cpu_count);

void clock_watch_end(struct clock_watch *watch, struct clock_seen *seen);

enum { CLOCK_REASON_BYTES = 128 };

/* Whether the core's clock changed by more than that share from before the point to after it, or its interval
 * is wider than 10 % and that share. The reason then has both ends. */
bool clock_seen_moved(const struct clock_seen *seen, double share, char reason[CLOCK_REASON_BYTES]);

/* Adds a warning if the observed clock differs from the requested one (GHz; NAN: none) by more than 2 %, or
 * changed. allowed: setting it was permitted. */
void clock_seen_judge(const struct clock_seen *seen, double requested_ghz, bool allowed,
                      struct warnings *warnings);

struct point_request {
    const char *root; /* "" for the machine itself */
    const struct core_clock *clock;
    const int *cpus; /* used for the measurement; the caller keeps them valid until the end */
    size_t cpu_count;
    double requested_ghz; /* NAN: no request */
    bool allowed;         /* setting the state was permitted */
};

struct point_watch {
    struct point_request request;
    struct snapshot before;
    double own_s; /* processor time of this process and its children so far */
    struct clock_watch clock;
};

void point_watch_begin(struct point_watch *watch, const struct point_request *request);

/* Sets the observed clocks in the point's state, and adds warnings of disturbances. Power becomes
 * untrustworthy if the clock changed by more than 10 %. */
void point_watch_end(struct point_watch *watch, struct result_point *point);

/* Adds a warning if a thermometer changed by more than 5 C from the first repetition to the last, according
 * to their "temperature_c". */
void point_judge_temperature(const struct result_rep *reps, size_t count, struct warnings *warnings);

#endif
