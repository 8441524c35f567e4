#include "session/point_values.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "generator/metric/metric.h"
#include "report/metric_value.h"
#include "report/verdict_report.h"
#include "runner/results/simulated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What results have besides metrics. A name that ends in a dot stands for all that begin with it. */
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

struct walk {
    bool every;
    point_value_visitor *visit;
    void *context;
};

/* An object with "value" and optionally "low", "high" and "n", or a bare number. */
static bool read_numbers(const json_t *from, struct point_value *value)
{
    value->seen = json_is_number(from) || json_is_number(json_object_get(from, "value"));
    if (!value->seen)
        return false;
    struct interval interval = result_interval(from);
    value->value = interval.value;
    value->low = interval.low;
    value->high = interval.high;
    value->n = json_number_or(from, "n", 0);
    value->doubt = metric_doubt(value->low, json_string_or(from, "doubt", value->doubt));
    return true;
}

static void visit_rate(const struct walk *walk, const struct result_rate *rate)
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
            value.seen = true;
            value.value = seen->value;
            value.low = seen->low;
            value.high = seen->high;
            value.n = seen->n;
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

/* The members of an object that are numbers, or intervals: prefix is put before their names. */
static void visit_members(const struct walk *walk, const json_t *object, const char *prefix,
                          const struct point_value *common)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)object, key, member)
    {
        char metric[128];
        struct point_value value = *common;
        snprintf(metric, sizeof metric, "%s%s", prefix, key);
        value.metric = metric;
        value.unit = point_value_unit(metric);
        if (strcmp(key, "cpu") != 0 && read_numbers(member, &value))
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
static void visit_counters(const struct walk *walk, const json_t *object, const char *part)
{
    struct point_value value = by_clock;
    value.kind = simulated_clock_kind(object);
    value.class = VALUE_RATE;
    value.part = part;
    value.source = "perf";
    visit_members(walk, json_object_get(object, "counters"), "counter.", &value);
}

static void visit_copies(const struct walk *walk, const json_t *threads)
{
    for (size_t i = 0; i < json_array_size(threads); i++) {
        const json_t *copy = json_array_get(threads, i);
        struct point_value value = by_clock;
        char part[32];
        const char *metric;
        json_t *seen;
        snprintf(part, sizeof part, "copy %zu", i + 1);
        value.part = part;
        visit_members(walk, json_object_get(copy, "time"), "time.", &value);
        visit_members(walk, copy, "", &value);
        visit_counters(walk, copy, part);
        value.class = VALUE_RATE;
        json_object_foreach(json_object_get(copy, "rates"), metric, seen)
        {
            value.metric = metric;
            value.unit = point_value_unit(metric);
            value.source = json_string_or(seen, "source", "");
            value.kind = evidence_kind_named(json_string_or(seen, "kind", NULL));
            value.doubt = "";
            if (read_numbers(seen, &value))
                walk->visit(&value, walk->context);
        }
    }
}

static void visit_power(const struct walk *walk, const json_t *point)
{
    const json_t *power = json_object_get(point, "power");
    struct buffer from = {0};
    struct point_value value = by_clock;
    const json_t *channels = json_object_get(power, "from");
    const char *name;
    json_t *sensor;
    buffer_text(&from, "");
    for (size_t i = 0; i < json_array_size(channels); i++) {
        const char *channel = json_string_value(json_array_get(channels, i));
        buffer_printf(&from, "%s%s", i == 0 ? "" : "+", channel == NULL ? "?" : channel);
    }
    value.class = VALUE_POWER;
    value.kind = simulated_power_kind(point);
    value.source = from.size == 0 ? "sensors" : from.data;
    value.verdict = json_string_or(power, "verdict", "");
    value.reason = json_string_or(power, "reason", "");
    value.doubt = power_doubt(value.verdict, value.reason);
    visit_members(walk, power, "", &value);
    json_object_foreach(json_object_get(power, "sensors"), name, sensor)
    {
        value.part = value.source = name;
        value.verdict = json_string_or(sensor, "verdict", "");
        value.reason = json_string_or(sensor, "reason", "");
        value.doubt = power_doubt(value.verdict, value.reason);
        visit_members(walk, sensor, "", &value);
    }
    buffer_free(&from);
}

/* The least and the most of the repetitions. */
static void visit_range(const struct walk *walk, const json_t *point, const struct point_value *common)
{
    struct arena arena = {0};
    size_t count = 0;
    const struct result_rep *reps = result_reps_read(json_object_get(point, "reps"), &arena, &count);
    struct unit_range range =
        result_unit_range(reps, count, json_number_or(point, "units", NAN),
                          json_number_or(json_object_get(point, "together"), "overlap", 1));
    const struct {
        const char *metric;
        double seconds;
    } ends[] = {{"unit.ns.min", range.least_s}, {"unit.ns.max", range.most_s}};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct point_value value = *common;
        value.metric = ends[i].metric;
        value.unit = point_value_unit(value.metric);
        value.value = value.low = value.high = ends[i].seconds * 1e9;
        value.n = (double)count;
        value.seen = isfinite(value.value);
        if (value.seen)
            walk->visit(&value, walk->context);
    }
    arena_free(&arena);
}

void point_values(const json_t *point, bool every, point_value_visitor *visit, void *context)
{
    const struct walk walk = {.every = every, .visit = visit, .context = context};
    struct result_rates rates;
    result_rates_read(json_object_get(point, "rates"), &rates);
    for (size_t i = 0; i < rates.count; i++)
        visit_rate(&walk, &rates.items[i]);
    result_rates_free(&rates);
    struct point_value time = by_clock;
    time.kind = simulated_clock_kind(point);
    if (json_object_get(point, "device") != NULL)
        time.source = "record"; /* the multiprocessors' own clock */
    visit_members(&walk, json_object_get(point, "time"), "time.", &time);
    visit_range(&walk, point, &time);
    struct point_value together = by_clock;
    together.kind = simulated_clock_kind(point);
    visit_members(&walk, json_object_get(point, "together"), "", &together);
    visit_counters(&walk, point, "");
    visit_copies(&walk, json_object_get(point, "threads"));
    visit_power(&walk, point);
}

const char *point_failure(const json_t *point, const char **word)
{
    *word = failure_word((enum status)json_number_or(point, "code", 0));
    return json_object_get(point, "error") == NULL ? NULL : json_string_or(point, "error", "");
}
