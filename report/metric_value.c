#include "report/metric_value.h"

#include "base/json.h"
#include "runner/results/result_point.h"
#include "runner/results/simulated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *metric_doubt(double low, const char *doubt)
{
    return doubt[0] != '\0' || isfinite(low) ? doubt : "there is no interval, and no reason is recorded";
}

const char *power_doubt(const char *verdict, const char *reason)
{
    return strcmp(verdict, "untrustworthy") != 0 ? "" : reason[0] != '\0' ? reason : "untrustworthy";
}

void metric_value_write(const struct metric_value *seen, double scale, int digits, char *text,
                        size_t capacity)
{
    const char *mark = metric_doubt(seen->low, seen->doubt)[0] == '\0' ? "" : " ?";
    if (isfinite(seen->low))
        snprintf(text, capacity, "%.*g [%.*g, %.*g]%s", digits, seen->value * scale, digits,
                 seen->low * scale, digits, seen->high * scale, mark);
    else
        snprintf(text, capacity, "%.*g%s", digits, seen->value * scale, mark);
}

static void set_doubt(struct metric_value *seen, const char *doubt)
{
    snprintf(seen->doubt, sizeof seen->doubt, "%s", metric_doubt(seen->low, doubt));
}

static bool read_value(const json_t *object, struct metric_value *seen)
{
    if (!json_is_number(json_object_get(object, "value")))
        return false;
    struct interval interval = result_interval(object);
    seen->value = interval.value;
    seen->low = interval.low;
    seen->high = interval.high;
    set_doubt(seen, json_string_or(object, "doubt", ""));
    return true;
}

/* "events.cycles" is a raw count per pass. */
static const char COUNT[] = "events.";

/* Loads per pass, of all threads of a grid. */
static double loads_of(const json_t *point)
{
    static const char *const names[] = {"loads",       "accesses.SHARED", "accesses.DSMEM",
                                        "accesses.L1", "accesses.L2",     "accesses.MEM"};
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
        !(seen->value > 0) || seen->low <= 0)
        return false;
    struct metric_value pass = *seen;
    seen->value = ticks ? pass.value / loads : loads / pass.value;
    seen->low = ticks ? pass.low / loads : loads / pass.high;
    seen->high = ticks ? pass.high / loads : loads / pass.low;
    return true;
}

/* The best observation; what a plan expects is never drawn as what was seen. */
static bool best_of(const json_t *point, const char *metric, struct metric_value *seen)
{
    struct result_rates rates;
    result_rates_read_one(json_object_get(point, "rates"), metric, &rates);
    const struct observation *best = rates.count == 0 ? NULL : result_rate_best(&rates.items[0]);
    bool has_best = best != NULL && best->kind != EVIDENCE_PREDICTED;
    if (has_best) {
        *seen = (struct metric_value){best->value, best->low, best->high, best->kind, best->source, ""};
        set_doubt(seen, best->doubt);
    }
    result_rates_free(&rates);
    return has_best;
}

bool metric_value_of(const json_t *point, const char *metric, struct metric_value *seen)
{
    if (best_of(point, metric, seen))
        return true;
    seen->kind = simulated_clock_kind(point);
    seen->source = NULL;
    if (strncmp(metric, COUNT, strlen(COUNT)) == 0)
        return read_value(json_object_get(json_object_get(point, "counters"), metric + strlen(COUNT)), seen);
    if (strcmp(metric, "time.ticks_per_pass") == 0)
        return read_value(json_object_get(json_object_get(point, "time"), "ticks_per_pass"), seen);
    if (pace_of(point, metric, seen))
        return true;
    const json_t *power = json_object_get(point, "power");
    if (!read_value(json_object_get(power, metric), seen))
        return false;
    const char *doubt =
        power_doubt(json_string_or(power, "verdict", ""), json_string_or(power, "reason", ""));
    if (doubt[0] != '\0')
        set_doubt(seen, doubt);
    seen->kind = simulated_power_kind(point);
    return true;
}
