#include "report/figure/figure_read.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "model/data/dataset.h"
#include "report/metric_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The members of a point that figures use, NULL-terminated. */
static const char *const figure_members[] = {
    "benchmark", "recipe",   "name", "target",   "point",       "error",      "trace",     "rates",
    "power",     "counters", "time", "per_pass", "idle_before", "idle_after", "simulated", NULL};

static void add_name(struct text_set *names, const char *name)
{
    if (name != NULL)
        text_set_add(names, name);
}

struct text_set figure_names(const struct results_context *context)
{
    struct text_set names = {0};
    for (size_t i = 0; i < context->benchmarks.count; i++)
        for (size_t j = 0; j < context->benchmarks.items[i].plot_count; j++) {
            const struct benchmark_plot *plot = &context->benchmarks.items[i].plots[j];
            add_name(&names, plot->x);
            add_name(&names, plot->from);
            for (size_t k = 0; k < plot->y.count; k++)
                add_name(&names, plot->y.items[k]);
            for (size_t k = 0; k < plot->right.count; k++)
                add_name(&names, plot->right.items[k]);
        }
    return names;
}

static bool is_named(const struct text_set *names, const char *name)
{
    return text_set_find(names, name) < names->count;
}

static const char *shared(struct figure_points *points, const char *text)
{
    size_t place = text_set_add(&points->texts, text); /* may move the list */
    return points->texts.texts[place];
}

const struct figure_value *figure_point_value(const struct figure_point *point, const char *metric)
{
    for (size_t i = 0; i < point->value_count; i++)
        if (strcmp(point->values[i].metric, metric) == 0)
            return &point->values[i];
    return NULL;
}

/* A point while its values are added. */
struct adding {
    struct figure_points *points;
    const struct result_point *from;
    const struct text_set *names;
    struct figure_point *to;
};

static void add_value(const struct adding *adding, const char *metric)
{
    struct figure_point *to = adding->to;
    struct figure_points *points = adding->points;
    struct metric_value value;
    if (!is_named(adding->names, metric) || figure_point_value(to, metric) != NULL ||
        !metric_value_of(adding->from, metric, &value))
        return;
    to->values = memory_next(to->values, to->value_count, sizeof *to->values);
    to->values[to->value_count++] =
        (struct figure_value){.metric = shared(points, metric),
                              .value = value.value,
                              .low = value.low,
                              .high = value.high,
                              .kind = value.kind,
                              .source = value.source == NULL ? NULL : shared(points, value.source),
                              .doubt = shared(points, value.doubt)};
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

static struct figure_idle idle_of(const struct adding *adding, const char *name,
                                  const struct result_sample *samples, size_t count)
{
    struct figure_idle idle = {0};
    if (!is_named(adding->names, name))
        return idle;
    idle.moments = arena_alloc(&adding->points->arena, count, sizeof *idle.moments);
    idle.count = count;
    for (size_t i = 0; i < count; i++)
        idle.moments[i] =
            (struct figure_moment){samples[i].t_s, joules_at(&samples[i], &adding->from->power.from),
                                   dataset_hottest(&samples[i].temperature_c)};
    return idle;
}

void figure_points_add(struct figure_points *points, const struct result_point *point,
                       const struct text_set *names)
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
        .parameters = value_copy(&point->parameters, &points->arena),
        .before = idle_of(&adding, "idle_before", point->idle_before.samples, point->idle_before.count),
        .after = idle_of(&adding, "idle_after", point->idle_after.samples, point->idle_after.count)};
    add_values(&adding);
}

enum status figure_points_read(struct results_reader *results, const struct results_context *context,
                               struct figure_points *points, struct error *error)
{
    struct text_set names = figure_names(context);
    enum status status = STATUS_OK;
    *points = (struct figure_points){0};
    for (size_t i = 0; status == STATUS_OK && i < results->count; i++) {
        struct result_point point;
        status = result_point_load(results, i, figure_members, &point, error);
        if (status != STATUS_OK)
            continue;
        figure_points_add(points, &point, &names);
        result_point_free(&point);
    }
    text_set_free(&names);
    return status;
}

void figure_points_free(struct figure_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        free(points->items[i].values);
    free(points->items);
    text_set_free(&points->texts);
    arena_free(&points->arena);
    *points = (struct figure_points){0};
}
