#include "runner/probe/family.h"

#include "base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLOCK_ITERATIONS = 400, CLOCK_ADDS = 100, CHASE_LOADS = 32, SAMPLES_MOST = 256 };

/* Clocks other than the core's are coarse, down to a tick per microsecond: a sample takes so many of them. */
static const double LEAST_TICKS = 500;

uint64_t probe_clock_iterations(const struct probe *probe)
{
    double least = ceil(LEAST_TICKS * probe->clock_iterations_per_tick);
    return least > CLOCK_ITERATIONS ? (uint64_t)least : CLOCK_ITERATIONS;
}

/* The clock's present ticks per cycle. */
static double ticks_per_cycle(const struct probe *probe)
{
    struct probe_words words = {0};
    uint64_t iterations = probe_clock_iterations(probe);
    uint64_t ticks = probe_code_run(&probe->clock_chain, iterations, &words);
    return (double)(ticks > 0 ? ticks : 1) / ((double)iterations * CLOCK_ADDS);
}

static struct interval scaled(struct interval interval, double factor)
{
    return (struct interval){interval.value * factor, interval.low * factor, interval.high * factor,
                             interval.n};
}

struct interval probe_time(struct probe *probe, const struct probe_timing *timing, size_t samples,
                           struct interval *ns)
{
    double cycles[SAMPLES_MOST], ticks[SAMPLES_MOST];
    samples = samples < SAMPLES_MOST ? samples : SAMPLES_MOST;
    double before = ticks_per_cycle(probe);
    for (size_t i = 0; i < samples; i++) {
        double taken = (double)probe_code_run(timing->code, timing->iterations, timing->words);
        double after = ticks_per_cycle(probe);
        ticks[i] = taken / (double)timing->iterations / timing->things;
        cycles[i] = ticks[i] / fmin(before, after); /* the longer of the two was disturbed */
        before = after;
    }
    size_t dropped;
    struct interval found = probe_quiet(cycles, samples, &dropped);
    probe->samples_taken += samples;
    probe->samples_dropped += dropped;
    if (ns != NULL)
        *ns = scaled(probe_quiet(ticks, samples, &dropped), 1 / probe->ticks_per_ns);
    return found;
}

struct interval probe_inverse(struct interval interval)
{
    return (struct interval){1 / interval.value, 1 / interval.high, 1 / interval.low, interval.n};
}

uint64_t probe_iterations(const struct probe *probe, const struct probe_timing *timing, double seconds)
{
    enum { FIRST = 20, TELLING_TICKS = 50, MOST = 1 << 24 };
    uint64_t ticks = 0;
    uint64_t iterations = FIRST;
    for (;; iterations *= 4) {
        ticks = UINT64_MAX;
        for (int i = 0; i < 3; i++) {
            uint64_t taken = probe_code_run(timing->code, iterations, timing->words);
            ticks = taken < ticks ? taken : ticks;
        }
        if (ticks >= TELLING_TICKS || iterations >= MOST)
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
                            struct interval *ns)
{
    struct probe_words words = {.first = (uintptr_t)first};
    struct probe_timing timing = {
        .code = &probe->chase, .things = CHASE_LOADS, .words = &words, .iterations = 1};
    if (settle > 0)
        probe_code_run(timing.code, settle / CHASE_LOADS + 1, &words);
    timing.iterations = probe_iterations(probe, &timing, seconds);
    return probe_time(probe, &timing, samples, ns);
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
    return stats_bootstrap(values, count);
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
    struct interval ns = over_points(curve, plateau, true);
    if (isfinite(ns.value))
        probe_add(probe, level->ns, "ns", ns, "the same");
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
