#include "report/metric_value.h"

#include "base/json.h"

#include <string.h>

struct kind_rank {
    const char *kind;
    int rank;
};

/* "predicted" has no row: a plan's expectation is never shown as an observation. */
static const struct kind_rank kind_ranks[] = {
    {"measured", 3},
    {"simulated", 2},
    {"inspected", 2},
    {"inferred", 1},
};

static int rank_of(const char *kind)
{
    for (size_t i = 0; i < sizeof kind_ranks / sizeof *kind_ranks; i++)
        if (strcmp(kind, kind_ranks[i].kind) == 0)
            return kind_ranks[i].rank;
    return 0;
}

static bool read_value(const json_t *object, struct metric_value *seen)
{
    if (!json_is_number(json_object_get(object, "value")))
        return false;
    seen->value = json_number_or(object, "value", 0);
    seen->doubtful = false;
    seen->low = json_number_or(object, "low", seen->value);
    seen->high = json_number_or(object, "high", seen->value);
    return true;
}

/* "events.cycles" is a raw count per pass. */
static const char COUNT[] = "events.";

/* Loads per pass, of all threads of a grid. */
static double loads_of(const json_t *point)
{
    static const char *const names[] = {"loads", "accesses.SHARED", "accesses.L1", "accesses.L2",
                                        "accesses.MEM"};
    double loads = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        loads += json_number_or(json_object_get(point, "per_pass"), names[i], 0);
    return loads;
}

/* "ticks_per_load": the latency of a single thread's chase; "loads_per_tick": the throughput of all threads.
 */
static bool pace_of(const json_t *point, const char *metric, struct metric_value *seen)
{
    bool ticks = strcmp(metric, "ticks_per_load") == 0;
    double loads = loads_of(point);
    if ((!ticks && strcmp(metric, "loads_per_tick") != 0) || !(loads > 0) ||
        !read_value(json_object_get(json_object_get(point, "time"), "ticks_per_pass"), seen) ||
        !(seen->low > 0))
        return false;
    struct metric_value pass = *seen;
    seen->value = ticks ? pass.value / loads : loads / pass.value;
    seen->low = ticks ? pass.low / loads : loads / pass.high;
    seen->high = ticks ? pass.high / loads : loads / pass.low;
    return true;
}

bool metric_value_of(const json_t *point, const char *metric, struct metric_value *seen)
{
    const json_t *rate = json_object_get(json_object_get(point, "rates"), metric);
    const json_t *observations = json_object_get(rate, "observations");
    int best = 0;
    size_t index;
    const json_t *observation;
    json_array_foreach(observations, index, observation)
    {
        const char *kind = json_string_or(observation, "kind", "");
        if (rank_of(kind) <= best || !read_value(observation, seen))
            continue;
        best = rank_of(kind);
        seen->kind = kind;
        seen->source = json_string_or(observation, "source", NULL);
    }
    if (best > 0)
        return true;
    seen->kind = "measured";
    seen->source = NULL;
    if (strncmp(metric, COUNT, strlen(COUNT)) == 0)
        return read_value(json_object_get(json_object_get(point, "counters"), metric + strlen(COUNT)), seen);
    if (pace_of(point, metric, seen))
        return true;
    const json_t *power = json_object_get(point, "power");
    if (!read_value(json_object_get(power, metric), seen))
        return false;
    seen->doubtful = strcmp(json_string_or(power, "verdict", ""), "untrustworthy") == 0;
    return true;
}
