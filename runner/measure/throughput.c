#include "runner/measure/measure.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const levels[] = {"SHARED", "DSMEM", "L1", "L2", "L3", "MEM"};
enum { LEVELS = sizeof levels / sizeof levels[0] };

/* Passes per second of each repetition; returns how many repetitions were timed. */
static size_t passes_per_second(const struct result_point *point, double *passes)
{
    size_t count = 0;
    for (size_t i = 0; i < point->rep_count; i++)
        if (point->reps[i].seconds > 0)
            passes[count++] = point->reps[i].iterations / point->reps[i].seconds;
    return count;
}

/* The level that serves all loads of a chase by one thread, or by one in each block of one cluster, which is
 * a latency; by bulk copies it is one of 16 bytes, for two. NULL: there is none, or other operations take
 * their own time. */
static const char *waited_for(const struct manifest *manifest)
{
    const char *level = NULL;
    double threads = 1;
    for (size_t i = 0; i < manifest->unit_count; i++)
        if (strcmp(manifest->unit[i].op, "load") != 0)
            return NULL;
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct manifest_stream *stream = &manifest->streams[i];
        if (strcmp(stream->op, "load") != 0 || !stream->chase ||
            (level != NULL && strcmp(level, stream->level) != 0))
            return NULL;
        level = stream->level;
        threads = strcmp(manifest_text_or(stream->source, ""), "tma") == 0 ? 2 : 1;
    }
    return manifest->blocks == manifest->cluster && manifest->block_threads == threads ? level : NULL;
}

/* The time of a pass, and of a load of a chase. */
static void observe_pass(const struct result_point *point, const struct manifest *manifest, double loads,
                         struct observations *list)
{
    static const double NS = 1e-9;
    double *ns = memory_zeroed(point->rep_count + 1, sizeof *ns);
    const char *level = waited_for(manifest);
    char metric[METRIC_BYTES];
    size_t count = passes_per_second(point, ns);
    for (size_t i = 0; i < count; i++)
        ns[i] = 1 / ns[i] / NS;
    struct interval pass = stats_fastest(ns, count);
    free(ns);
    if (count > 0)
        observations_add(list, "pass.ns", "record", EVIDENCE_MEASURED, pass.value, pass.low, pass.high,
                         (double)count);
    if (level != NULL) /* of one block's thread */
        loads /= manifest->blocks * manifest->block_threads;
    if (count > 0 && level != NULL && loads > 0) {
        snprintf(metric, sizeof metric, "latency.%s_ns", level);
        observations_add(list, metric, "record", EVIDENCE_INFERRED, pass.value / loads, pass.low / loads,
                         pass.high / loads, (double)count);
    }
    const struct interval *ticks = &point->ticks_per_pass;
    if (ticks->n == 0 || strcmp(manifest_text_or(manifest->target, ""), "ptx") != 0)
        return; /* only there ticks are the multiprocessors' cycles */
    observations_add(list, "pass.cycles", "record", EVIDENCE_MEASURED, ticks->value, ticks->low, ticks->high,
                     (double)ticks->n);
    if (level == NULL || !(loads > 0))
        return;
    snprintf(metric, sizeof metric, "latency.%s", level);
    observations_add(list, metric, "record", EVIDENCE_INFERRED, ticks->value / loads, ticks->low / loads,
                     ticks->high / loads, (double)ticks->n);
}

/* Of the level that moves all bytes. */
static void observe_bandwidth(const struct result_point *point, const struct manifest *manifest,
                              unsigned sector, struct observations *list)
{
    double *passes = memory_zeroed(point->rep_count + 1, sizeof *passes);
    size_t count = passes_per_second(point, passes);
    for (size_t i = 0; i < count; i++)
        passes[i] = 1 / passes[i];
    const struct interval pass_s = stats_fastest(passes, count);
    const struct interval each = {1 / pass_s.value, 1 / pass_s.high, 1 / pass_s.low, pass_s.n};
    const char *level = NULL;
    double bytes = 0;
    bool several = false;
    for (size_t i = 0; i < LEVELS; i++) {
        double own = sector * (rates_get(&manifest->transfers, levels[i], 0) +
                               rates_get(&manifest->stored, levels[i], 0));
        several = several || (own > 0 && level != NULL);
        level = own > 0 ? levels[i] : level;
        bytes = fmax(bytes, own);
    }
    if (count > 0 && level != NULL && !several) {
        char metric[METRIC_BYTES];
        snprintf(metric, sizeof metric, "bandwidth.%s", level);
        observations_add(list, metric, "record", EVIDENCE_INFERRED, bytes * each.value, bytes * each.low,
                         bytes * each.high, (double)count);
    }
    free(passes);
}

/* Of a pass, over all blocks that worked. */
static double loads_of(const struct manifest *manifest)
{
    double loads = 0;
    for (size_t i = 0; i < LEVELS; i++)
        loads += rates_get(&manifest->loads_by_level, levels[i], 0);
    return loads;
}

static void observe_loads(const struct result_point *point, double loads, struct observations *list)
{
    double value = point->ticks_per_pass.value, low = point->ticks_per_pass.low,
           high = point->ticks_per_pass.high, n = (double)point->ticks_per_pass.n;
    if (!(loads > 0) || !(low > 0))
        return;
    observations_add(list, "ticks_per_load", "record", EVIDENCE_MEASURED, value / loads, low / loads,
                     high / loads, n);
    observations_add(list, "loads_per_tick", "record", EVIDENCE_MEASURED, loads / value, loads / high,
                     loads / low, n);
}

void throughput_observe(const struct result_point *point, const struct manifest *manifest, unsigned sector,
                        struct observations *list)
{
    double loads = loads_of(manifest);
    if (!point->on_device)
        return;
    observe_bandwidth(point, manifest, sector, list);
    observe_loads(point, loads, list);
    observe_pass(point, manifest, loads, list);
}
