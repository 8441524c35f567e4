#include "session/point_values.h"

#include "base/buffer.h"
#include "generator/metric/metric.h"
#include "report/metric_value.h"
#include "report/verdict_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Values in results besides metrics. A name that ends in a dot stands for all names that begin with it. */
static const struct {
    const char *name;
    const char *unit;
} units[] = {{"passes_per_s", "1/s"},
             {"time.ticks_per_s", "1/s"},
             {"unit.ns.", "ns"},
             {"time.ticks_per_unit", "ticks"},
             {"overlap", "share"},
             {"instructions_per_tick", "1/tick"},
             {"load_bytes_per_s", "B/s"},
             {"counter.", "1/pass"},
             {"energy.", "J"},
             {"power.", "W"}};

const char *point_value_unit(const char *metric)
{
    if (metric_find(metric) != NULL)
        return metric_is_share(metric) ? "share" : metric_unit(metric);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t length = strlen(units[i].name);
        if (units[i].name[length - 1] == '.' ? strncmp(metric, units[i].name, length) == 0
                                             : strcmp(metric, units[i].name) == 0)
            return units[i].unit;
    }
    return "";
}

bool point_value_is_share(const char *unit)
{
    return unit[0] == '\0' || strcmp(unit, "share") == 0;
}

struct value_walk {
    bool every;
    point_value_visitor *visit;
    void *context;
};

static void set_interval(struct interval interval, double n, struct point_value *value)
{
    value->seen = !isnan(interval.value);
    value->value = interval.value;
    value->low = interval.low;
    value->high = interval.high;
    value->n = n;
}

static void visit_rate(const struct value_walk *walk, const struct result_rate *rate)
{
    const char *metric = rate->metric;
    struct point_value value = {.class = VALUE_RATE,
                                .metric = metric,
                                .unit = point_value_unit(metric),
                                .part = "",
                                .rate = rate,
                                .verdict = verdict_name(rate->verdict),
                                .reason = rate->reason,
                                .source = "",
                                .doubt = ""};
    const struct observation *best = result_rate_best(rate);
    bool visited = false;
    for (size_t i = 0; i < rate->seen.count; i++) {
        const struct observation *seen = &rate->seen.items[i];
        value.source = seen->source;
        value.kind = seen->kind;
        bool chosen = seen == best && best->kind != EVIDENCE_PREDICTED;
        if ((walk->every || chosen) && isfinite(seen->value)) {
            set_interval((struct interval){seen->value, seen->low, seen->high, 0}, seen->n, &value);
            value.doubt = metric_doubt(seen->low, seen->doubt);
            walk->visit(&value, walk->context);
            visited = true;
        }
    }
    if (visited)
        return;
    value.source = value.doubt = "";
    value.kind = EVIDENCE_NONE;
    value.seen = false;
    walk->visit(&value, walk->context);
}

/* Those that are numbers; prefix is put before their names. */
static void visit_values(const struct value_walk *walk, const struct result_values *values,
                         const char *prefix, const struct point_value *common)
{
    for (size_t i = 0; i < values->count; i++) {
        const struct result_value *read = &values->items[i];
        char metric[128];
        struct point_value value = *common;
        snprintf(metric, sizeof metric, "%s%s", prefix, read->name);
        value.metric = metric;
        value.unit = point_value_unit(metric);
        set_interval(read->interval, (double)read->interval.n, &value);
        value.doubt = metric_doubt(value.low, read->doubt[0] == '\0' ? common->doubt : read->doubt);
        if (value.seen && strcmp(read->name, "cpu") != 0)
            walk->visit(&value, walk->context);
    }
}

static const struct point_value by_clock = {.class = VALUE_TIME,
                                            .part = "",
                                            .verdict = "",
                                            .reason = "",
                                            .source = "tsc",
                                            .kind = EVIDENCE_MEASURED,
                                            .doubt = ""};

/* Events per pass. */
static void visit_counters(const struct value_walk *walk, const struct result_values *counters,
                           enum evidence_kind kind, const char *part)
{
    struct point_value value = by_clock;
    value.kind = kind;
    value.class = VALUE_RATE;
    value.part = part;
    value.source = "perf";
    visit_values(walk, counters, "counter.", &value);
}

static void visit_copies(const struct value_walk *walk, const struct result_point *point)
{
    for (size_t i = 0; i < point->copy_count; i++) {
        const struct result_copy_summary *copy = &point->copies[i];
        struct point_value value = by_clock;
        char part[32];
        snprintf(part, sizeof part, "copy %zu", i + 1);
        value.part = part;
        visit_values(walk, &copy->time, "time.", &value);
        visit_values(walk, &copy->values, "", &value);
        visit_counters(walk, &copy->counters, EVIDENCE_MEASURED, part);
        value.class = VALUE_RATE;
        for (size_t j = 0; j < copy->seen.count; j++) {
            const struct observation *seen = &copy->seen.items[j];
            value.metric = seen->metric;
            value.unit = point_value_unit(seen->metric);
            value.source = seen->source;
            value.kind = seen->kind;
            set_interval((struct interval){seen->value, seen->low, seen->high, 0}, seen->n, &value);
            value.doubt = metric_doubt(seen->low, seen->doubt);
            if (value.seen)
                walk->visit(&value, walk->context);
        }
    }
}

static void judge_power(const char *verdict, const char *reason, struct point_value *value)
{
    value->verdict = verdict == NULL ? "" : verdict;
    value->reason = reason == NULL ? "" : reason;
    value->doubt = power_doubt(value->verdict, value->reason);
}

static void visit_power(const struct value_walk *walk, const struct result_point *point)
{
    const struct result_power *power = &point->power;
    struct buffer from = {0};
    struct point_value value = by_clock;
    for (size_t i = 0; i < power->from.count; i++)
        buffer_printf(&from, "%s%s", i == 0 ? "" : "+",
                      power->from.items[i] == NULL ? "?" : power->from.items[i]);
    value.class = VALUE_POWER;
    value.kind = result_power_kind(point);
    value.source = from.size == 0 ? "sensors" : from.data;
    judge_power(power->verdict, power->reason, &value);
    visit_values(walk, &power->values, "", &value);
    for (size_t i = 0; i < power->channel_count; i++) {
        const struct result_channel *channel = &power->channels[i];
        value.part = value.source = channel->name;
        judge_power(channel->verdict, channel->reason, &value);
        visit_values(walk, &channel->values, "", &value);
    }
    buffer_free(&from);
}

/* The least and the most of the repetitions. */
static void visit_range(const struct value_walk *walk, const struct result_point *point,
                        const struct point_value *common)
{
    struct unit_range range = result_unit_range(point->reps, point->rep_count, point->units, point->overlap);
    const struct {
        const char *metric;
        double seconds;
    } ends[] = {{"unit.ns.min", range.least_s}, {"unit.ns.max", range.most_s}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct point_value value = *common;
        value.metric = ends[i].metric;
        value.unit = point_value_unit(value.metric);
        value.value = value.low = value.high = ends[i].seconds * 1e9;
        value.n = (double)point->rep_count;
        value.seen = isfinite(value.value);
        if (value.seen)
            walk->visit(&value, walk->context);
    }
}

void point_values(const struct result_point *point, bool every, point_value_visitor *visit, void *context)
{
    const struct value_walk walk = {.every = every, .visit = visit, .context = context};
    struct point_value by_point = by_clock;
    by_point.kind = result_clock_kind(point);
    for (size_t i = 0; i < point->rates.count; i++)
        visit_rate(&walk, &point->rates.items[i]);
    struct point_value time = by_point;
    if (point->on_device)
        time.source = "record"; /* the multiprocessors' own clock */
    visit_values(&walk, &point->time, "time.", &time);
    visit_range(&walk, point, &time);
    visit_values(&walk, &point->together, "", &by_point);
    visit_counters(&walk, &point->counters, by_point.kind, "");
    visit_copies(&walk, point);
    visit_power(&walk, point);
}

const char *point_failure(const struct result_point *point, const char **word)
{
    *word = failure_word(point->code);
    return point->error;
}
