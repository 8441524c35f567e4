#include "runner/probe/family.h"

#include "base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_ITERATIONS = 400, CLOCK_ADDS = 100, CHASE_LOADS = 32, SAMPLES_MOST = 256 };

/* The least ticks of a sample: clocks other than the core's are coarse, down to a tick per microsecond. */
static const double LEAST_TICKS = 500;

uint64_t probe_clock_iterations(const struct probe *probe)
{
    double least = ceil(LEAST_TICKS * probe->clock_iterations_per_tick);
    return least > CLOCK_ITERATIONS ? (uint64_t)least : CLOCK_ITERATIONS;
}

static uint64_t run_chain(void *context, const struct probe_code *code, uint64_t iterations)
{
    struct probe_words words = {0};
    (void)context;
    return probe_code_run(code, iterations, &words);
}

static struct probe_timed timed_chain(const struct probe_code *chain, uint64_t iterations)
{
    return (struct probe_timed){chain, iterations, CLOCK_ADDS, run_chain, NULL};
}

double probe_ticks_per_cycle(const struct probe *probe)
{
    const struct probe_timed clock = timed_chain(&probe->clock_chain, probe_clock_iterations(probe));
    return probe_ticks_per_thing(&clock);
}

double probe_long_cycles(const struct probe *probe, double *clock)
{
    enum { PAIRS = 15 };
    double short_ones[PAIRS], long_ones[PAIRS];
    const struct probe_timed chain = timed_chain(&probe->long_chain, probe_clock_iterations(probe) / 2 + 1);
    for (size_t i = 0; i < PAIRS; i++) {
        short_ones[i] = probe_ticks_per_cycle(probe);
        long_ones[i] = probe_ticks_per_thing(&chain);
    }
    *clock = probe_fastest(short_ones, PAIRS);
    return probe_fastest(long_ones, PAIRS) / *clock;
}

static struct interval scaled(struct interval interval, double factor)
{
    return (struct interval){interval.value * factor, interval.low * factor, interval.high * factor,
                             interval.n};
}

/* The faster half of the samples; if they have no interval, with the range of all. */
static struct interval faster_half(const double *cycles, size_t count)
{
    struct interval interval = stats_fastest(cycles, count);
    if (isnan(interval.low)) {
        interval.low = stats_quantile(cycles, count, 0);
        interval.high = stats_quantile(cycles, count, 1);
    }
    return probe_of_runs(interval);
}

static uint64_t run_loop(void *context, const struct probe_code *code, uint64_t iterations)
{
    const struct probe_timing *timing = context;
    if (timing->end > 0 && timing->words->first + timing->words->third > timing->end)
        timing->words->first = timing->begin;
    return probe_code_run(code, iterations, timing->words);
}

struct probe_attempt {
    struct interval cycles;
    double clock;
    size_t kept;
};

static struct probe_attempt take_samples(struct probe *probe, struct probe_timing *timing, size_t count)
{
    struct probe_sample samples[SAMPLES_MOST];
    double cycles[SAMPLES_MOST];
    struct probe_attempt attempt;
    const struct probe_timed clock = timed_chain(&probe->clock_chain, probe_clock_iterations(probe));
    const struct probe_timed loop = {timing->code, timing->iterations, timing->things, run_loop, timing};
    probe_take_samples(&loop, &clock, samples, count);
    attempt.kept = probe_undisturbed(samples, count, &attempt.clock, cycles);
    probe->samples_taken += count;
    probe->samples_dropped += count - attempt.kept;
    for (size_t i = 0; attempt.kept == 0 && i < count; i++)
        cycles[i] = samples[i].loop / attempt.clock;
    attempt.cycles = faster_half(cycles, attempt.kept > 0 ? attempt.kept : count);
    return attempt;
}

/* True for a clock that was delayed, or that another thread of the core still delays. Another frequency
 * becomes the probe's clock. */
static bool is_delayed(struct probe *probe, double clock)
{
    if (!probe_is_slower(probe->clock, clock))
        return false;
    double present;
    double now = probe_long_cycles(probe, &present);
    if (!probe_is_slower(probe->clock, present) || probe_is_slower(now, probe->long_cycles) ||
        probe_is_slower(probe->long_cycles, now))
        return true;
    probe->clock = clock;
    return false;
}

struct interval probe_time(struct probe *probe, struct probe_timing *timing, size_t samples,
                           struct interval *ns)
{
    enum { AGAIN_MOST = 3, SHARE = 5 };
    struct probe_attempt best = {.clock = 0};
    samples = samples < SAMPLES_MOST ? samples : SAMPLES_MOST;
    timing->disturbed = true;
    for (int i = 0; i <= AGAIN_MOST && timing->disturbed; i++) {
        struct probe_attempt attempt = take_samples(probe, timing, samples);
        timing->disturbed = attempt.kept < samples / SHARE + 1 || is_delayed(probe, attempt.clock);
        if (i == 0 || !timing->disturbed || attempt.clock < best.clock)
            best = attempt;
    }
    if (!timing->disturbed && best.clock < probe->clock)
        probe->clock = best.clock;
    if (!timing->disturbed && best.clock < probe->clock_least)
        probe->clock_least = best.clock;
    if (ns != NULL)
        *ns = scaled(best.cycles, best.clock / probe->ticks_per_ns);
    return best.cycles;
}

void probe_doubt(struct probe *probe)
{
    probe->values[probe->value_count - 1].doubt =
        "other programs, or another thread of the core, disturbed its samples at every attempt";
}

struct interval probe_inverse(struct interval interval)
{
    return (struct interval){1 / interval.value, 1 / interval.high, 1 / interval.low, interval.n};
}

uint64_t probe_iterations(const struct probe *probe, const struct probe_timing *timing, double seconds)
{
    enum { FIRST = 20, ENOUGH_TICKS = 50, MOST = 1 << 24 };
    uint64_t ticks = 0;
    uint64_t iterations = FIRST;
    for (;; iterations *= 4) {
        ticks = UINT64_MAX;
        for (int i = 0; i < 3; i++) {
            uint64_t taken = probe_code_run(timing->code, iterations, timing->words);
            ticks = taken < ticks ? taken : ticks;
        }
        if (ticks >= ENOUGH_TICKS || iterations >= MOST)
            break;
    }
    double wanted_ticks = fmax(seconds * 1e9 * probe->ticks_per_ns, LEAST_TICKS);
    double wanted = wanted_ticks * (double)iterations / (double)(ticks > 0 ? ticks : 1);
    return wanted < 1 ? 1 : (uint64_t)wanted;
}

static struct probe_value *add(struct probe *probe, const char *name, const char *unit)
{
    if (probe->value_count == PROBE_VALUES_MOST)
        abort(); /* a family has more values than the probe can store */
    struct probe_value *value = &probe->values[probe->value_count++];
    *value = (struct probe_value){.name = name, .unit = unit};
    return value;
}

struct probe_value *probe_add(struct probe *probe, const char *name, const char *unit,
                              struct interval interval, const char *remark, ...)
{
    struct probe_value *value = add(probe, name, unit);
    va_list arguments;
    va_start(arguments, remark);
    vsnprintf(value->remark, sizeof value->remark, remark, arguments);
    va_end(arguments);
    value->found = true;
    value->interval = interval;
    return value;
}

void probe_add_missing(struct probe *probe, const char *name, const char *unit, const char *why, ...)
{
    struct probe_value *value = add(probe, name, unit);
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(value->remark, sizeof value->remark, why, arguments);
    va_end(arguments);
}

void probe_compare(struct probe_value *value, double reported, const char *by, const char *why)
{
    if (!(reported > 0))
        return;
    value->reported = reported;
    value->reported_by = by;
    if (!value->found)
        return;
    bool inside = reported >= value->interval.low && reported <= value->interval.high;
    value->agreement = inside ? PROBE_AGREES : PROBE_DISAGREES;
    size_t used = strlen(value->remark);
    if (!inside)
        snprintf(value->remark + used, sizeof value->remark - used, "%s%s", used > 0 ? "; " : "", why);
}

struct interval probe_chase(struct probe *probe, void *first, size_t settle, double seconds, size_t samples,
                            struct interval *ns, bool *disturbed)
{
    struct probe_words words = {.first = (uintptr_t)first};
    struct probe_timing timing = {
        .code = &probe->chase, .things = CHASE_LOADS, .words = &words, .iterations = 1};
    if (settle > 0)
        probe_code_run(timing.code, settle / CHASE_LOADS + 1, &words);
    timing.iterations = probe_iterations(probe, &timing, seconds);
    struct interval found = probe_time(probe, &timing, samples, ns);
    if (disturbed != NULL)
        *disturbed = timing.disturbed;
    return found;
}

const struct probe_value *probe_find(const struct probe *probe, const char *name)
{
    for (size_t i = 0; i < probe->value_count; i++)
        if (strcmp(probe->values[i].name, name) == 0)
            return &probe->values[i];
    return NULL;
}

/* The median of the plateau's points, with their interval. */
static struct interval over_points(const struct probe_curve *curve, const struct probe_plateau *plateau,
                                   bool ns)
{
    double values[PROBE_POINTS_MOST];
    size_t count = 0;
    for (size_t i = plateau->first; i <= plateau->last; i++)
        values[count++] = ns ? curve->points[i].ns.value : curve->points[i].cycles.value;
    return probe_of_runs(stats_bootstrap(values, count));
}

void probe_add_latency(struct probe *probe, const struct probe_level *level,
                       const struct probe_plateau *plateau, const char *what, const char *suffix)
{
    const struct probe_curve *curve = &probe->latency;
    char first[32];
    char last[32];
    units_show_size((uint64_t)curve->points[plateau->first].size, first, sizeof first);
    units_show_size((uint64_t)curve->points[plateau->last].size, last, sizeof last);
    probe_add(probe, level->cycles, "cycles", over_points(curve, plateau, false), "%s through %s to %s%s",
              what, first, last, suffix);
    size_t disturbed = 0;
    for (size_t i = plateau->first; i <= plateau->last; i++)
        disturbed += curve->points[i].disturbed;
    bool doubted = 2 * disturbed > plateau->last - plateau->first + 1;
    if (doubted)
        probe_doubt(probe);
    struct interval ns = over_points(curve, plateau, true);
    if (!isfinite(ns.value))
        return;
    probe_add(probe, level->ns, "ns", ns, "the same");
    if (doubted)
        probe_doubt(probe);
}

void probe_add_size(struct probe *probe, const struct probe_level *level, const struct probe_plateau *plateau,
                    const struct probe_plateau *next)
{
    const struct cache *cache = (const struct cache *)((const char *)probe->request->machine + level->offset);
    struct probe_value *value =
        probe_add(probe, level->size, "bytes", probe_capacity(probe->latency.points, plateau, next),
                  "a quarter of the way to the next level's latency (interval: a tenth to a half)");
    probe_compare(value, (double)cache->size, level->by, level->why);
}

/* ---- accesses ---- */

/* A row: BYTES[@FEATURE] LOAD | STORE. */
static bool read_row(const char *line, char feature[PROBE_ACCESS_BYTES], struct probe_access *access)
{
    char width[PROBE_ACCESS_BYTES];
    feature[0] = '\0';
    return sscanf(line, "%79s %79[^|\n]| %79[^\n]", width, access->load, access->store) == 3 &&
           sscanf(width, "%u@%79s", &access->bytes, feature) >= 1;
}

bool probe_access_find(const struct probe *probe, unsigned bytes, struct probe_access *access)
{
    const char *line = template_section(&probe->texts, "accesses");
    for (; line != NULL && *line != '\0'; line = probe_next_line(line)) {
        char feature[PROBE_ACCESS_BYTES];
        if (read_row(line, feature, access) && (bytes == 0 || access->bytes == bytes) &&
            (feature[0] == '\0' || machine_has(probe->request->machine, feature)))
            return true;
    }
    return false;
}
