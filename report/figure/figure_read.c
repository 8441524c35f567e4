#include "report/figure/figure_read.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "report/metric_value.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
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

static const char *shared(struct figure_points *points, const char *text)
{
    size_t place = text_set_add(&points->texts, text); /* which may move the list */
    return points->texts.texts[place];
}

const struct figure_value *figure_point_value(const struct figure_point *point, const char *metric)
{
    for (size_t i = 0; i < point->value_count; i++)
        if (strcmp(point->values[i].metric, metric) == 0)
            return &point->values[i];
    return NULL;
}

/* A point while its values are found. */
struct adding {
    struct figure_points *points;
    const struct result_point *from;
    const json_t *names;
    struct figure_point *to;
};

static void add_value(const struct adding *adding, const char *metric)
{
    struct figure_point *to = adding->to;
    struct figure_points *points = adding->points;
    struct metric_value seen;
    if (json_object_get(adding->names, metric) == NULL || figure_point_value(to, metric) != NULL ||
        !metric_value_of(adding->from, metric, &seen))
        return;
    to->values = memory_next(to->values, to->value_count, sizeof *to->values);
    to->values[to->value_count++] =
        (struct figure_value){.metric = shared(points, metric),
                              .value = seen.value,
                              .low = seen.low,
                              .high = seen.high,
                              .kind = seen.kind,
                              .source = seen.source == NULL ? NULL : shared(points, seen.source),
                              .doubt = shared(points, seen.doubt)};
}

static void add_values(const struct adding *adding)
{
    static const char *const of_time[] = {"ticks_per_load", "loads_per_tick", "time.ticks_per_pass"};
    const struct result_point *from = adding->from;
    for (size_t i = 0; i < from->rates.count; i++)
        add_value(adding, from->rates.items[i].metric);
    for (size_t i = 0; i < from->power.values.count; i++)
        add_value(adding, from->power.values.items[i].name);
    for (size_t i = 0; i < from->counters.count; i++) {
        struct buffer name = {0};
        buffer_printf(&name, "events.%s", from->counters.items[i].name);
        add_value(adding, name.data);
        buffer_free(&name);
    }
    for (size_t i = 0; i < sizeof of_time / sizeof of_time[0]; i++)
        add_value(adding, of_time[i]);
}

/* NAN if the sample lacks one of the channels. */
static double joules_at(const struct result_sample *sample, const struct manifest_words *from)
{
    double sum = 0;
    if (from->count == 0)
        return sample->energy_j.count == 1 ? sample->energy_j.items[0].interval.value : NAN;
    for (size_t i = 0; i < from->count; i++)
        sum += result_value(&sample->energy_j, from->items[i]).value;
    return sum;
}

static double hottest_at(const struct result_sample *sample)
{
    double most = NAN;
    for (size_t i = 0; i < sample->temperature_c.count; i++)
        most = fmax(most, sample->temperature_c.items[i].interval.value); /* leaves NAN out */
    return most;
}

static struct figure_idle idle_of(const struct adding *adding, const char *name,
                                  const struct result_sample *samples, size_t count)
{
    struct figure_idle idle = {0};
    if (json_object_get(adding->names, name) == NULL)
        return idle;
    idle.moments = arena_alloc(&adding->points->arena, count, sizeof *idle.moments);
    idle.count = count;
    for (size_t i = 0; i < count; i++)
        idle.moments[i] = (struct figure_moment){
            samples[i].t_s, joules_at(&samples[i], &adding->from->power.from), hottest_at(&samples[i])};
    return idle;
}

void figure_points_add(struct figure_points *points, const struct result_point *point, const json_t *names)
{
    points->items = memory_next(points->items, points->count, sizeof *points->items);
    struct figure_point *to = &points->items[points->count++];
    const struct adding adding = {points, point, names, to};
    *to = (struct figure_point){
        .recipe = shared(points, point->recipe),
        .benchmark = shared(points, point->benchmark),
        .name = arena_strdup(&points->arena, point->name),
        .target = shared(points, point->target),
        .trace = point->trace == NULL ? NULL : arena_strdup(&points->arena, point->trace),
        .failed = point->error != NULL,
        .untrusted = point->power.verdict != NULL && strcmp(point->power.verdict, "untrustworthy") == 0,
        .parameters = json_incref((json_t *)(uintptr_t)point->parameters),
        .before = idle_of(&adding, "idle_before", point->idle_before.samples, point->idle_before.count),
        .after = idle_of(&adding, "idle_after", point->idle_after.samples, point->idle_after.count)};
    add_values(&adding);
}

enum status figure_points_read(struct results_reader *results, const json_t *context,
                               struct figure_points *points, struct error *error)
{
    json_t *names = figure_names(context);
    enum status status = STATUS_OK;
    *points = (struct figure_points){0};
    for (size_t i = 0; status == STATUS_OK && i < results->count; i++) {
        json_t *document = results_point(results, i, figure_members, error);
        struct result_point point;
        if (document == NULL) {
            status = STATUS_USAGE;
            continue;
        }
        result_point_read(document, &point);
        figure_points_add(points, &point, names);
        result_point_free(&point);
        json_decref(document);
    }
    json_decref(names);
    return status;
}

void figure_points_free(struct figure_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        free(points->items[i].values);
        json_decref((json_t *)(uintptr_t)points->items[i].parameters);
    }
    free(points->items);
    text_set_free(&points->texts);
    arena_free(&points->arena);
    *points = (struct figure_points){0};
}
