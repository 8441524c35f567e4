#include "report/metric_value.h"

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

static bool take(struct interval interval, const char *doubt, struct metric_value *seen)
{
    if (isnan(interval.value))
        return false;
    seen->value = interval.value;
    seen->low = interval.low;
    seen->high = interval.high;
    set_doubt(seen, doubt);
    return true;
}

static bool take_named(const struct result_values *values, const char *name, struct metric_value *seen)
{
    const struct result_value *found = result_value_find(values, name);
    return found != NULL && take(found->interval, found->doubt, seen);
}

/* "events.cycles" is a raw count per pass. */
static const char COUNT[] = "events.";

/* Loads per pass, of all threads of a grid. */
static double loads_of(const struct result_point *point)
{
    static const char *const names[] = {"loads",       "accesses.SHARED", "accesses.DSMEM",
                                        "accesses.L1", "accesses.L2",     "accesses.MEM"};
    double loads = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double own = result_value(&point->per_pass, names[i]).value;
        loads += isnan(own) ? 0 : own;
    }
    return loads;
}

/* "ticks_per_load": the latency of a single thread's chase; "loads_per_tick": the throughput of all threads.
 */
static bool pace_of(const struct result_point *point, const char *metric, struct metric_value *seen)
{
    bool ticks = strcmp(metric, "ticks_per_load") == 0;
    if (!ticks && strcmp(metric, "loads_per_tick") != 0)
        return false;
    double loads = loads_of(point);
    if (!(loads > 0) || !take(point->ticks_per_pass, point->ticks_doubt, seen) || !(seen->value > 0) ||
        seen->low <= 0)
        return false;
    struct metric_value pass = *seen;
    seen->value = ticks ? pass.value / loads : loads / pass.value;
    seen->low = ticks ? pass.low / loads : loads / pass.high;
    seen->high = ticks ? pass.high / loads : loads / pass.low;
    return true;
}

/* The best observation; what a plan expects is never drawn as what was seen. */
static bool best_of(const struct result_point *point, const char *metric, struct metric_value *seen)
{
    const struct result_rate *rate = result_rates_find(&point->rates, metric);
    const struct observation *best = rate == NULL ? NULL : result_rate_best(rate);
    if (best == NULL || best->kind == EVIDENCE_PREDICTED)
        return false;
    *seen = (struct metric_value){best->value, best->low, best->high, best->kind, best->source, ""};
    set_doubt(seen, best->doubt);
    return true;
}

bool metric_value_of(const struct result_point *point, const char *metric, struct metric_value *seen)
{
    const struct result_power *power = &point->power;
    if (best_of(point, metric, seen))
        return true;
    seen->kind = result_clock_kind(point);
    seen->source = NULL;
    if (strncmp(metric, COUNT, strlen(COUNT)) == 0)
        return take_named(&point->counters, metric + strlen(COUNT), seen);
    if (strcmp(metric, "time.ticks_per_pass") == 0)
        return take(point->ticks_per_pass, point->ticks_doubt, seen);
    if (pace_of(point, metric, seen))
        return true;
    if (!take_named(&power->values, metric, seen))
        return false;
    const char *doubt =
        power_doubt(power->verdict == NULL ? "" : power->verdict, power->reason == NULL ? "" : power->reason);
    if (doubt[0] != '\0')
        set_doubt(seen, doubt);
    seen->kind = result_power_kind(point);
    return true;
}
