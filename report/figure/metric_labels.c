#include "report/figure/metric_labels.h"

#include "base/buffer.h"
#include "base/json.h"

#include <stddef.h>
#include <string.h>

/* A metric that ends in a dot stands for all that begin with it; the rest of the name follows the words. */
struct metric_words {
    const char *metric;
    const char *words;
    const char *unit;       /* NULL: none */
    const char *short_name; /* NULL: the words */
    double scale;           /* factor from the results' unit to this one; 0: the same unit */
};

static const struct metric_words metric_table[] = {
    {"ipc", "Instructions per cycle", NULL, "IPC", 0},
    {"dpc", "Decoded instructions per cycle", NULL, "DPC", 0},
    {"power.dynamic_w", "Dynamic power", "W", NULL, 0},
    {"power.static_w", "Static power", "W", NULL, 0},
    {"power.total_w", "Power", "W", NULL, 0},
    {"power.cpu_w", "Processor power", "W", NULL, 0},
    {"power.constant_w", "Power of the rest of the system", "W", NULL, 0},
    {"power.outside_w", "Power outside of the processor", "W", NULL, 0},
    {"power.fans_w", "Power of the fans", "W", NULL, 0},
    {"energy.dynamic_j", "Dynamic energy", "J", NULL, 0},
    {"energy.per_access_j.", "Energy per access, ", "nJ", NULL, 1e9},
    {"l1d.miss_rate", "L1 data-cache miss rate", NULL, NULL, 0},
    {"l1i.miss_rate", "L1 instruction-cache miss rate", NULL, NULL, 0},
    {"l2.miss_rate", "L2 miss rate", NULL, NULL, 0},
    {"l3.miss_rate", "L3 miss rate", NULL, NULL, 0},
    {"dtlb.miss_rate", "Data-TLB miss rate", NULL, NULL, 0},
    {"served.", "Share of loads served by ", NULL, NULL, 0},
    {"branch.miss_rate", "Branch misprediction rate", NULL, NULL, 0},
    {"branch.taken_rate", "Share of branches taken", NULL, NULL, 0},
    {"branch.distance", "Cycles between branches", NULL, NULL, 0},
    {"data.toggle_rate", "Data toggle rate", NULL, NULL, 0},
    {"data.ones_rate", "Share of ones in the data", NULL, NULL, 0},
    {"mix.", "Share of instructions, ", NULL, NULL, 0},
    {"body.share", "Share of instructions in the body", NULL, NULL, 0},
    {"bandwidth.", "Bandwidth, ", "GB/s", NULL, 1e-9},
    {"events.", "Count per pass, ", NULL, NULL, 0},
    {"ticks_per_load", "Time per load", "ticks", NULL, 0},
    {"loads_per_tick", "Loads per tick", NULL, NULL, 0},
    {"time.ticks_per_pass", "Time per pass", "ticks", NULL, 0},
};

static const struct metric_words *words_of(const char *metric)
{
    for (size_t i = 0; i < sizeof metric_table / sizeof *metric_table; i++) {
        const struct metric_words *row = &metric_table[i];
        size_t length = strlen(row->metric);
        if (row->metric[length - 1] == '.' ? strncmp(metric, row->metric, length) == 0
                                           : strcmp(metric, row->metric) == 0)
            return row;
    }
    return NULL;
}

double metric_scale(const char *metric)
{
    const struct metric_words *row = words_of(metric);
    return row == NULL || row->scale == 0 ? 1 : row->scale;
}

bool metric_is_named(const char *metric)
{
    return words_of(metric) != NULL;
}

static const char *compose(struct arena *arena, const struct metric_words *row, const char *metric,
                           const char *unit)
{
    struct buffer text = {0};
    buffer_text(&text, row->words);
    size_t length = strlen(row->metric);
    if (row->metric[length - 1] == '.')
        buffer_text(&text, metric + length);
    if (unit != NULL)
        buffer_printf(&text, " (%s)", unit);
    const char *copy = arena_strdup(arena, text.data);
    buffer_free(&text);
    return copy;
}

const char *metric_axis_label(struct arena *arena, const char *metric)
{
    const struct metric_words *row = words_of(metric);
    return row == NULL ? arena_strdup(arena, metric) : compose(arena, row, metric, row->unit);
}

const char *metric_short_name(struct arena *arena, const char *metric)
{
    const struct metric_words *row = words_of(metric);
    if (row == NULL)
        return arena_strdup(arena, metric);
    return row->short_name != NULL ? row->short_name : compose(arena, row, metric, NULL);
}

/* The common label of metrics with this prefix. */
static const struct metric_words families[] = {
    {"power.", "Power", "W", NULL, 0},
    {"energy.per_access_j.", "Energy per access", "nJ", NULL, 0},
    {"energy.", "Energy", "J", NULL, 0},
    {"served.", "Share of loads served by", NULL, NULL, 0},
    {"mix.", "Share of instructions", NULL, NULL, 0},
    {"bandwidth.", "Bandwidth", "GB/s", NULL, 0},
};

static bool all_begin_with(const json_t *metrics, const char *prefix)
{
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const char *metric = json_string_value(json_array_get(metrics, i));
        if (metric == NULL || strncmp(metric, prefix, strlen(prefix)) != 0)
            return false;
    }
    return true;
}

const char *metrics_axis_label(struct arena *arena, const json_t *metrics)
{
    struct buffer text = {0};
    if (json_array_size(metrics) == 1 && json_is_string(json_array_get(metrics, 0)))
        return metric_axis_label(arena, json_string_value(json_array_get(metrics, 0)));
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (all_begin_with(metrics, families[i].metric)) {
            buffer_printf(&text, families[i].unit == NULL ? "%s" : "%s (%s)", families[i].words,
                          families[i].unit);
            break;
        }
    for (size_t i = 0, named = text.size; named == 0 && i < json_array_size(metrics); i++) {
        const char *metric = json_string_value(json_array_get(metrics, i));
        if (metric != NULL)
            buffer_printf(&text, "%s%s", text.size == 0 ? "" : ", ", metric_short_name(arena, metric));
    }
    const char *label = arena_strdup(arena, text.size == 0 ? "" : text.data);
    buffer_free(&text);
    return label;
}

const char *metric_own_name(struct arena *arena, const char *metric, const json_t *metrics)
{
    const struct metric_words *row = words_of(metric);
    size_t length = row == NULL ? 0 : strlen(row->metric);
    bool family = length > 0 && row->metric[length - 1] == '.' && metric[length] != '\0';
    return family && json_array_size(metrics) > 1 && all_begin_with(metrics, row->metric)
               ? arena_strdup(arena, metric + length)
               : metric_short_name(arena, metric);
}
