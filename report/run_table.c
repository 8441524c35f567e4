#include "report/run_table.h"

#include "base/buffer.h"
#include "base/json.h"
#include "generator/metric/metric.h"
#include "report/metric_value.h"
#include "report/table.h"
#include "report/verdict_report.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The best observation of the metric; a prediction is never shown as one. */
static void cell_metric(struct table *table, const json_t *point, const char *metric, int digits)
{
    struct metric_value seen;
    if (metric_value_of(point, metric, &seen))
        table_cell(table, "%.*g", digits, seen.value);
    else
        table_cell(table, "-");
}

/* "45.2 GB/s L2": the metric of each level that has it. suffix: of a second metric beside it, or NULL. */
static void write_levels(const json_t *point, const char *prefix, const char *suffix, struct buffer *text)
{
    static const char *const levels[] = {"SHARED", "L1", "L2", "L3", "MEM"};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct metric_value seen;
        size_t before = text->size;
        for (int second = 0; second < (suffix == NULL ? 1 : 2); second++) {
            char metric[64], unit[32];
            snprintf(metric, sizeof metric, "%s%s%s", prefix, levels[i], second ? suffix : "");
            if (!metric_value_of(point, metric, &seen))
                continue;
            metric_write_unit(metric, unit, sizeof unit);
            buffer_printf(text, "%s%.4g%s", text->size > 0 ? ", " : "", seen.value * metric_scale(metric),
                          unit);
        }
        if (text->size > before)
            buffer_printf(text, " %s", levels[i]);
    }
}

/* Columns of what people ask first, where any point has it. */
static const struct {
    const char *title, *prefix, *suffix;
} by_level[] = {{"bandwidth", "bandwidth.", NULL}, {"latency", "latency.", "_ns"}};
enum { BY_LEVEL = sizeof by_level / sizeof by_level[0] };

static void cell_levels(struct table *table, const json_t *point, size_t column)
{
    struct buffer text = {0};
    write_levels(point, by_level[column].prefix, by_level[column].suffix, &text);
    table_cell(table, "%s", text.size == 0 ? "-" : text.data);
    buffer_free(&text);
}

static bool any_has_level(const json_t *lines, size_t column)
{
    struct buffer text = {0};
    for (size_t i = 0; i < json_array_size(lines) && text.size == 0; i++)
        write_levels(json_array_get(lines, i), by_level[column].prefix, by_level[column].suffix, &text);
    bool has = text.size > 0;
    buffer_free(&text);
    return has;
}

/* Untrustworthy power is marked; the point's warning gives the reason. */
static void cell_power(struct table *table, const json_t *point)
{
    const json_t *power = json_object_get(point, "power");
    struct metric_value seen;
    if (strcmp(json_string_or(power, "verdict", ""), "untrustworthy") == 0 &&
        metric_value_of(point, "power.dynamic_w", &seen))
        table_cell(table, "%.3g ?", seen.value);
    else
        cell_metric(table, point, "power.dynamic_w", 3);
}

static const char *overall(const json_t *point)
{
    struct tally tally = {0};
    if (json_object_get(point, "error") != NULL)
        return json_object_get(point, "code") == NULL ? "did not run" : "cannot run here";
    if (json_object_get(point, "threads") != NULL && json_array_size(json_object_get(point, "threads")) == 0)
        return "idle";
    struct result_rates rates;
    result_rates_read(json_object_get(point, "rates"), &rates);
    tally_rates(&rates, &tally);
    result_rates_free(&rates);
    if (tally.failed > 0)
        return "fail";
    if (json_object_get(point, "skipped") != NULL)
        return "skipped";
    if (tally.inconclusive > 0)
        return "inconclusive";
    if (tally.disputed > 0)
        return "pass, disputed";
    unsigned passed = tally.passed + tally.passed_code;
    if (passed + tally.unobserved == 0)
        return tally.not_applicable > 0 ? "not applicable" : "nothing promised";
    if (tally.unobserved > 0)
        return passed > 0 ? "partly unobserved" : "unobserved";
    return tally.passed_code > 0 ? "pass (code)" : "pass";
}

/* The metrics that a run shows on any machine, the last only if there is no ipc. A column without values is
 * left out. */
static const struct {
    const char *metric, *title;
} shown[] = {{"l1d.miss_rate", "l1d.miss_rate"}, {"ipc", "ipc"}, {"ticks_per_load", "ticks/load"}};
enum { SHOWN = sizeof shown / sizeof shown[0], COLUMNS = SHOWN + BY_LEVEL + 4 };

static bool any_has(const json_t *lines, const char *metric)
{
    struct metric_value seen;
    for (size_t i = 0; i < json_array_size(lines); i++)
        if (metric_value_of(json_array_get(lines, i), metric, &seen))
            return true;
    return false;
}

void run_table_print(const json_t *lines, FILE *to)
{
    struct table_column columns[COLUMNS] = {{"point", TABLE_LEFT}};
    const char *metrics[SHOWN];
    size_t count = 0, leveled[BY_LEVEL], level_count = 0;
    for (size_t i = 0; i < SHOWN; i++) {
        bool other = i + 1 == SHOWN && any_has(lines, "ipc");
        if (other || !any_has(lines, shown[i].metric))
            continue;
        columns[1 + count] = (struct table_column){shown[i].title, TABLE_RIGHT};
        metrics[count++] = shown[i].metric;
    }
    size_t used = 1 + count;
    for (size_t i = 0; i < BY_LEVEL; i++) {
        if (!any_has_level(lines, i))
            continue;
        columns[used++] = (struct table_column){by_level[i].title, TABLE_LEFT};
        leveled[level_count++] = i;
    }
    columns[used++] = (struct table_column){"ticks/pass", TABLE_RIGHT};
    columns[used++] = (struct table_column){"dynamic W", TABLE_RIGHT};
    columns[used++] = (struct table_column){"verdict", TABLE_LEFT};
    struct table table = {.columns = columns, .column_count = used};
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *point = json_array_get(lines, i);
        const json_t *ticks = json_object_get(json_object_get(point, "time"), "ticks_per_pass");
        table_cell(&table, "%s/%s", json_string_or(point, "benchmark", ""),
                   json_string_or(point, "name", ""));
        for (size_t column = 0; column < count; column++)
            cell_metric(&table, point, metrics[column], 4);
        for (size_t column = 0; column < level_count; column++)
            cell_levels(&table, point, leveled[column]);
        if (ticks != NULL)
            table_cell(&table, "%.1f", json_number_or(ticks, "value", 0));
        else
            table_cell(&table, "-");
        cell_power(&table, point);
        table_cell(&table, "%s", overall(point));
    }
    table_print(&table, to);
    table_free(&table);
}
