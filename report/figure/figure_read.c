#include "report/figure/figure_read.h"

#include "base/json.h"
#include "report/metric_value.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The members of a point that figures use, NULL-terminated. */
static const char *const figure_members[] = {
    "benchmark", "recipe",   "name", "target",   "point",       "error",      "trace",     "rates",
    "power",     "counters", "time", "per_pass", "idle_before", "idle_after", "simulated", NULL};

/* Any text in a plot may be a name. */
static void add_names(json_t *names, const json_t *value)
{
    const char *key;
    json_t *member;
    size_t index;
    if (json_is_string(value))
        json_object_set_new(names, json_string_value(value), json_true());
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        add_names(names, member);
    }
    json_array_foreach(value, index, member)
    {
        add_names(names, member);
    }
}

json_t *figure_names(const json_t *context)
{
    json_t *names = json_object();
    size_t index;
    const json_t *benchmark;
    json_array_foreach(json_object_get(context, "benchmarks"), index, benchmark)
    {
        add_names(names, json_object_get(benchmark, "plot"));
    }
    return names;
}

static json_t *seen_to_json(const struct metric_value *seen)
{
    const struct interval interval = {seen->value, seen->low, seen->high, 0};
    json_t *one = result_interval_to_json(interval);
    json_object_set_new(one, "kind", json_string(evidence_kinds[seen->kind].name));
    if (seen->source != NULL)
        json_object_set_new(one, "source", json_string(seen->source));
    if (seen->doubt[0] != '\0')
        json_object_set_new(one, "doubt", json_from_text(seen->doubt));
    return one;
}

/* The rate with only its best observation, which is all that a figure shows. New reference. */
static json_t *best_of(const json_t *rates, const char *metric)
{
    struct metric_value seen;
    json_t *rate = json_object();
    if (metric_value_of(rates, metric, &seen))
        json_object_set_new(rate, "observations", json_pack("[o]", seen_to_json(&seen)));
    return rate;
}

static json_t *named_rates(const json_t *point, const json_t *names)
{
    json_t *kept = json_object();
    json_t *alone = json_object(); /* a rate without observations may have a value elsewhere in the point */
    const char *metric;
    json_t *rate;
    json_object_set(alone, "rates", json_object_get(point, "rates"));
    json_object_foreach(json_object_get(point, "rates"), metric, rate)
    {
        if (json_object_get(names, metric) != NULL &&
            json_array_size(json_object_get(rate, "observations")) > 0)
            json_object_set_new(kept, metric, best_of(alone, metric));
    }
    json_decref(alone);
    return kept;
}

static json_t *named_power(const json_t *power, const json_t *names)
{
    json_t *kept = json_object();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)power, key, value)
    {
        if (json_object_get(names, key) != NULL || strcmp(key, "verdict") == 0 || strcmp(key, "from") == 0 ||
            strcmp(key, "simulated") == 0)
            json_object_set(kept, key, value);
    }
    return kept;
}

/* A count of a pass, as plots name it: "events.cycles". */
static json_t *named_counters(const json_t *counters, const json_t *names)
{
    json_t *kept = json_object();
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)counters, key, value)
    {
        struct buffer name = {0};
        buffer_printf(&name, "events.%s", key);
        if (json_object_get(names, name.data) != NULL)
            json_object_set(kept, key, value);
        buffer_free(&name);
    }
    return kept;
}

static void set_if_any(json_t *point, const char *key, json_t *object)
{
    if (json_object_size(object) > 0)
        json_object_set(point, key, object);
    json_decref(object);
}

json_t *figure_read_point(const json_t *point, const json_t *names)
{
    static const char *const whole[] = {"benchmark", "recipe", "name",  "target",
                                        "point",     "error",  "trace", "simulated"};
    static const char *const named[] = {"idle_before", "idle_after"};
    bool paced = json_object_get(names, "ticks_per_load") != NULL ||
                 json_object_get(names, "loads_per_tick") != NULL ||
                 json_object_get(names, "time.ticks_per_pass") != NULL;
    json_t *kept = json_object();
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (json_object_get(point, whole[i]) != NULL)
            json_object_set(kept, whole[i], json_object_get(point, whole[i]));
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (json_object_get(names, named[i]) != NULL && json_object_get(point, named[i]) != NULL)
            json_object_set(kept, named[i], json_object_get(point, named[i]));
    set_if_any(kept, "rates", named_rates(point, names));
    set_if_any(kept, "power", named_power(json_object_get(point, "power"), names));
    set_if_any(kept, "counters", named_counters(json_object_get(point, "counters"), names));
    if (paced && json_object_get(point, "time") != NULL)
        json_object_set(kept, "time", json_object_get(point, "time"));
    if (paced && json_object_get(point, "per_pass") != NULL)
        json_object_set(kept, "per_pass", json_object_get(point, "per_pass"));
    return kept;
}

json_t *figure_read_points(struct results_reader *results, const json_t *context, struct error *error)
{
    json_t *names = figure_names(context);
    json_t *points = json_array();
    bool good = true;
    for (size_t i = 0; good && i < results->count; i++) {
        json_t *point = results_point(results, i, figure_members, error);
        good = point != NULL;
        if (good)
            json_array_append_new(points, figure_read_point(point, names));
        json_decref(point);
    }
    json_decref(names);
    if (good)
        return points;
    json_decref(points);
    return NULL;
}
