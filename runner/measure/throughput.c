#include "runner/measure/measure.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const levels[] = {"SHARED", "DSMEM", "L1", "L2", "L3", "MEM"};
enum { LEVELS = sizeof levels / sizeof levels[0] };

/* The time of a pass: the fastest of the repetitions that were timed; n is 0 if none was. */
static struct interval pass_seconds(const struct result_point *point)
{
    double *seconds = memory_zeroed(point->rep_count + 1, sizeof *seconds);
    size_t count = 0;
    for (size_t i = 0; i < point->rep_count; i++)
        if (point->reps[i].seconds > 0)
            seconds[count++] = point->reps[i].seconds / point->reps[i].iterations;
    struct interval pass = stats_fastest(seconds, count);
    pass.n = count;
    free(seconds);
    return pass;
}

/* The level whose latency the loop's time is: it serves all loads of a chase by one thread, or by one thread
 * in each block of one cluster; of bulk copies, by two threads, 16 bytes each. NULL: there is no such level,
 * or other operations take time too. */
static const char *latency_level(const struct manifest *manifest)
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
static void observe_pass(const struct result_point *point, const struct manifest *manifest,
                         struct interval pass_s, double loads, struct observations *list)
{
    static const double NS = 1e-9;
    const struct interval ns = {pass_s.value / NS, pass_s.low / NS, pass_s.high / NS, pass_s.n};
    const char *level = latency_level(manifest);
    char metric[METRIC_BYTES];
    if (ns.n > 0)
        observations_add(list, "pass.ns", "record", EVIDENCE_MEASURED, ns.value, ns.low, ns.high,
                         (double)ns.n);
    if (level != NULL) /* of one block's thread */
        loads /= manifest->blocks * manifest->block_threads;
    if (ns.n > 0 && level != NULL && loads > 0) {
        snprintf(metric, sizeof metric, "latency.%s_ns", level);
        observations_add(list, metric, "record", EVIDENCE_INFERRED, ns.value / loads, ns.low / loads,
                         ns.high / loads, (double)ns.n);
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

/* The bandwidth of the level that moves all bytes, if one does. */
static void observe_bandwidth(const struct manifest *manifest, struct interval pass_s, unsigned sector,
                              struct observations *list)
{
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
    if (each.n > 0 && level != NULL && !several) {
        char metric[METRIC_BYTES];
        snprintf(metric, sizeof metric, "bandwidth.%s", level);
        observations_add(list, metric, "record", EVIDENCE_INFERRED, bytes * each.value, bytes * each.low,
                         bytes * each.high, (double)each.n);
    }
}

/* Loads of a pass, over all blocks that worked. */
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
    if (!point->on_device)
        return;
    const double loads = loads_of(manifest);
    const struct interval pass_s = pass_seconds(point);
    observe_bandwidth(manifest, pass_s, sector, list);
    observe_loads(point, loads, list);
    observe_pass(point, manifest, pass_s, loads, list);
}
