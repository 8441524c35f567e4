#include "runner/measure/throughput.h"

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const levels[] = {"SHARED", "L1", "L2", "MEM"};
enum { LEVELS = sizeof levels / sizeof levels[0] };

/* "accesses.L2" of a pass of all blocks that worked. */
static double count_of(const json_t *point, const char *what, const char *level)
{
    char key[64];
    snprintf(key, sizeof key, "%s.%s", what, level);
    return json_number_or(json_object_get(point, "per_pass"), key, 0);
}

/* Passes a second of each repetition; how many were timed. */
static size_t passes_per_second(const json_t *point, double *passes)
{
    const json_t *reps = json_object_get(point, "reps");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(reps); i++) {
        const json_t *rep = json_array_get(reps, i);
        double seconds = json_number_or(rep, "seconds", 0);
        if (seconds > 0)
            passes[count++] = json_number_or(rep, "iterations", 0) / seconds;
    }
    return count;
}

static void observe_bandwidths(const json_t *point, unsigned sector, struct observations *list)
{
    double *passes = calloc(json_array_size(json_object_get(point, "reps")) + 1, sizeof *passes);
    if (passes == NULL)
        abort();
    size_t count = passes_per_second(point, passes);
    struct interval each = stats_bootstrap(passes, count);
    for (size_t i = 0; count > 0 && i < LEVELS; i++) {
        char metric[METRIC_BYTES];
        double bytes =
            sector * (count_of(point, "transfers", levels[i]) + count_of(point, "stored", levels[i]));
        snprintf(metric, sizeof metric, "bandwidth.%s", levels[i]);
        if (bytes > 0)
            observations_add(list, metric, "record", "inferred", bytes * each.value, bytes * each.low,
                             bytes * each.high, (double)count);
    }
    free(passes);
}

static void observe_loads(const json_t *point, struct observations *list)
{
    const json_t *pass = json_object_get(json_object_get(point, "time"), "ticks_per_pass");
    double value = json_number_or(pass, "value", 0), low = json_number_or(pass, "low", 0),
           high = json_number_or(pass, "high", 0), n = json_number_or(pass, "n", 0), loads = 0;
    for (size_t i = 0; i < LEVELS; i++)
        loads += count_of(point, "accesses", levels[i]);
    if (!(loads > 0) || !(low > 0))
        return;
    observations_add(list, "ticks_per_load", "record", "measured", value / loads, low / loads, high / loads,
                     n);
    observations_add(list, "loads_per_tick", "record", "measured", loads / value, loads / high, loads / low,
                     n);
}

void throughput_observe(const json_t *point, unsigned sector, struct observations *list)
{
    if (json_object_get(point, "device") == NULL)
        return;
    observe_bandwidths(point, sector, list);
    observe_loads(point, list);
}
