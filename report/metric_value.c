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

void metric_value_write(const struct metric_value *value, double scale, int digits, char *text,
                        size_t capacity)
{
    const char *mark = metric_doubt(value->low, value->doubt)[0] == '\0' ? "" : " ?";
    if (isfinite(value->low))
        snprintf(text, capacity, "%.*g [%.*g, %.*g]%s", digits, value->value * scale, digits,
                 value->low * scale, digits, value->high * scale, mark);
    else
        snprintf(text, capacity, "%.*g%s", digits, value->value * scale, mark);
}

static void set_doubt(struct metric_value *value, const char *doubt)
{
    snprintf(value->doubt, sizeof value->doubt, "%s", metric_doubt(value->low, doubt));
}

static bool take(struct interval interval, const char *doubt, struct metric_value *value)
{
    if (isnan(interval.value))
        return false;
    value->value = interval.value;
    value->low = interval.low;
    value->high = interval.high;
    set_doubt(value, doubt);
    return true;
}

static bool take_named(const struct result_values *values, const char *name, struct metric_value *value)
{
    const struct result_value *found = result_value_find(values, name);
    return found != NULL && take(found->interval, found->doubt, value);
}

/* The prefix of raw counts per pass: "events.cycles". */
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

/* Sets "ticks_per_load", the latency of a single thread's chase, or "loads_per_tick", the throughput of all
 * threads. False for another metric, or without times or loads. */
static bool pace_of(const struct result_point *point, const char *metric, struct metric_value *value)
{
    bool ticks = strcmp(metric, "ticks_per_load") == 0;
    if (!ticks && strcmp(metric, "loads_per_tick") != 0)
        return false;
    double loads = loads_of(point);
    if (!(loads > 0) || !take(point->ticks_per_pass, point->ticks_doubt, value) || !(value->value > 0) ||
        value->low <= 0)
        return false;
    struct metric_value pass = *value;
    value->value = ticks ? pass.value / loads : loads / pass.value;
    value->low = ticks ? pass.low / loads : loads / pass.high;
    value->high = ticks ? pass.high / loads : loads / pass.low;
    return true;
}

/* The best observation. The plan's expectation is none. */
static bool best_of(const struct result_point *point, const char *metric, struct metric_value *value)
{
    const struct result_rate *rate = result_rates_find(&point->rates, metric);
    const struct observation *best = rate == NULL ? NULL : result_rate_best(rate);
    if (best == NULL || best->kind == EVIDENCE_PREDICTED)
        return false;
    *value = (struct metric_value){best->value, best->low, best->high, best->kind, best->source, ""};
    set_doubt(value, best->doubt);
    return true;
}

bool metric_value_of(const struct result_point *point, const char *metric, struct metric_value *value)
{
    const struct result_power *power = &point->power;
    if (best_of(point, metric, value))
        return true;
    value->kind = result_clock_kind(point);
    value->source = NULL;
    if (strncmp(metric, COUNT, strlen(COUNT)) == 0)
        return take_named(&point->counters, metric + strlen(COUNT), value);
    if (strcmp(metric, "time.ticks_per_pass") == 0)
        return take(point->ticks_per_pass, point->ticks_doubt, value);
    if (pace_of(point, metric, value))
        return true;
    if (!take_named(&power->values, metric, value))
        return false;
    const char *doubt =
        power_doubt(power->verdict == NULL ? "" : power->verdict, power->reason == NULL ? "" : power->reason);
    if (doubt[0] != '\0')
        set_doubt(value, doubt);
    value->kind = result_power_kind(point);
    return true;
}
