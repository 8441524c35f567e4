#include "report/level_table.h"

#include "generator/metric/metric.h"
#include "report/metric_value.h"
#include "report/table.h"
#include "runner/results/result_point.h"

#include <stdbool.h>
#include <string.h>

static const char *parameter(const struct result_point *point, const char *name)
{
    const char *text = result_parameter_text(point, name);
    return text == NULL ? "" : text;
}

/* Adds the value in the unit for display, "14.0 [13.9, 14.1]", or "-". */
static void cell_value(struct table *table, bool has, const char *metric, const struct metric_value *value,
                       const char *row)
{
    char text[128];
    if (!has) {
        table_cell(table, "-");
        return;
    }
    metric_value_write(value, metric_scale(metric), 4, text, sizeof text);
    table_cell(table, "%s", text);
    table_doubt(table, value->doubt, row);
}

/* Adds the reason why a point has no number: the level was not observed to serve the loads of a latency, or
 * the copies of a bandwidth did not run together. */
static void cell_reason(struct table *table, const struct result_point *point, const char *level)
{
    char served[METRIC_BYTES];
    snprintf(served, sizeof served, "served.%s", level);
    const struct result_rate *rate = result_rates_find(&point->rates, served);
    if (point->error != NULL || point->skipped != NULL)
        table_cell(table, "%s", point->error != NULL ? point->error : point->skipped);
    else if (point->overlap < RESULT_TOGETHER)
        table_cell(table, "in one repetition all %zu copies made passes for only %.0f %% of its time",
                   point->copy_count, 100 * point->overlap);
    else if (rate != NULL && rate->reason[0] != '\0')
        table_cell(table, "%s", rate->reason);
    else
        table_cell(table, "no requested source observed it");
}

static const char *source_of(bool has, const struct metric_value *value)
{
    return has && value->source != NULL ? value->source : "";
}

static bool value_of(const struct result_point *point, const char *metric, struct metric_value *value)
{
    *value = (struct metric_value){.source = NULL};
    return metric_value_of(point, metric, value);
}

static void add_latency(struct table *table, const struct result_point *point)
{
    const char *level = parameter(point, "level");
    char cycles[METRIC_BYTES], ns[METRIC_BYTES];
    struct metric_value value;
    snprintf(cycles, sizeof cycles, "latency.%s", level);
    snprintf(ns, sizeof ns, "latency.%s_ns", level);
    table_cell(table, "%s", level);
    bool has = value_of(point, cycles, &value);
    const char *source = source_of(has, &value);
    cell_value(table, has, cycles, &value, level);
    has = value_of(point, ns, &value);
    source = source[0] == '\0' ? source_of(has, &value) : source;
    cell_value(table, has, ns, &value, level);
    if (source[0] == '\0')
        cell_reason(table, point, level);
    else
        table_cell(table, "%s", source);
}

void level_table_latency(const struct result_points *points, FILE *to)
{
    struct table table = table_of("level|>cycles|>ns|source");
    for (size_t i = 0; i < points->count; i++)
        add_latency(&table, &points->items[i]);
    table_finish(&table, to);
}

/* The copy's own observation of the metric; false if there is none. */
static bool value_of_copy(const struct result_copy_summary *copy, const char *metric,
                          struct metric_value *value)
{
    *value = (struct metric_value){.source = NULL};
    for (size_t i = 0; i < copy->seen.count; i++) {
        const struct observation *one = &copy->seen.items[i];
        if (strcmp(one->metric, metric) != 0)
            continue;
        *value = (struct metric_value){one->value, one->low, one->high, one->kind, one->source, ""};
        snprintf(value->doubt, sizeof value->doubt, "%s", metric_doubt(one->low, one->doubt));
        return one->n > 0;
    }
    return false;
}

static void add_copies(struct table *table, const struct result_point *point, const char *metric)
{
    for (size_t i = 0; point->copy_count > 1 && i < point->copy_count; i++) {
        const struct result_copy_summary *copy = &point->copies[i];
        struct metric_value value;
        char name[48];
        bool has = value_of_copy(copy, metric, &value);
        table_cell(table, "%s", "");
        table_cell(table, "%s", "");
        snprintf(name, sizeof name, "copy %zu, CPU %d", i + 1, copy->cpu);
        table_cell(table, "%s", name);
        cell_value(table, has, metric, &value, name);
        table_cell(table, "%s", source_of(has, &value));
    }
}

static void add_bandwidth(struct table *table, const struct result_point *point)
{
    const char *level = parameter(point, "level");
    size_t copies = point->copy_count;
    char metric[METRIC_BYTES];
    struct metric_value value;
    snprintf(metric, sizeof metric, "bandwidth.%s", level);
    bool has = value_of(point, metric, &value);
    table_cell(table, "%s", level);
    table_cell(table, "%s", parameter(point, "op"));
    if (copies > 1)
        table_cell(table, "sum of %zu", copies);
    else
        table_cell(table, "%s", "");
    cell_value(table, has, metric, &value, level);
    if (has)
        table_cell(table, "%s", source_of(has, &value));
    else
        cell_reason(table, point, level);
    add_copies(table, point, metric);
}

static bool has_copies(const struct result_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].copy_count > 1)
            return true;
    return false;
}

void level_table_bandwidth(const struct result_points *points, FILE *to)
{
    struct table table =
        table_of(has_copies(points) ? "level|op|copies|>GB/s|source" : "level|op||>GB/s|source");
    for (size_t i = 0; i < points->count; i++)
        add_bandwidth(&table, &points->items[i]);
    table_finish(&table, to);
}
