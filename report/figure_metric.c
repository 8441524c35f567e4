#include "report/figure_metric.h"

#include "base/buffer.h"
#include "base/json.h"
#include "runner/results/result_point.h"

#include <stddef.h>
#include <string.h>

/* A metric that ends in a dot stands for all that begin with it; the rest of the name follows the words. */
struct metric_words {
    const char *metric;
    const char *words;
    const char *unit;       /* NULL: none */
    const char *short_name; /* NULL: the words */
    double scale;           /* how many of these units one of the results' is; 0: they are the same */
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
    {"events.", "Count a pass, ", NULL, NULL, 0},
    {"ticks_per_load", "Ticks a load", NULL, NULL, 0},
    {"loads_per_tick", "Loads a tick", NULL, NULL, 0},
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

/* What metrics that begin so have in common. */
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

static bool read_value(const json_t *object, struct metric_value *seen)
{
    if (!json_is_number(json_object_get(object, "value")))
        return false;
    seen->value = json_number_or(object, "value", 0);
    seen->doubtful = false;
    seen->low = json_number_or(object, "low", seen->value);
    seen->high = json_number_or(object, "high", seen->value);
    return true;
}

/* "events.cycles" is a raw count of a pass. */
static const char COUNT[] = "events.";

/* Loads of a pass, of all threads of a grid. */
static double loads_of(const json_t *point)
{
    static const char *const names[] = {"loads", "accesses.SHARED", "accesses.L1", "accesses.L2",
                                        "accesses.MEM"};
    double loads = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        loads += json_number_or(json_object_get(point, "per_pass"), names[i], 0);
    return loads;
}

/* "ticks_per_load": a chase's latency where one thread makes it; "loads_per_tick": how many they all make. */
static bool pace_of(const json_t *point, const char *metric, struct metric_value *seen)
{
    bool ticks = strcmp(metric, "ticks_per_load") == 0;
    double loads = loads_of(point);
    if ((!ticks && strcmp(metric, "loads_per_tick") != 0) || !(loads > 0) ||
        !read_value(json_object_get(json_object_get(point, "time"), "ticks_per_pass"), seen) ||
        !(seen->low > 0))
        return false;
    struct metric_value pass = *seen;
    seen->value = ticks ? pass.value / loads : loads / pass.value;
    seen->low = ticks ? pass.low / loads : loads / pass.high;
    seen->high = ticks ? pass.high / loads : loads / pass.low;
    return true;
}

/* The best observation; what a plan expects is never drawn as what was seen. */
static bool best_of(const json_t *point, const char *metric, struct metric_value *seen)
{
    struct result_rate rate;
    result_rate_read(metric, json_object_get(json_object_get(point, "rates"), metric), &rate);
    const struct observation *best = result_rate_best(&rate);
    bool has_best = best != NULL && strcmp(best->kind, "predicted") != 0;
    if (has_best)
        *seen = (struct metric_value){best->value, best->low, best->high, best->kind, best->source, false};
    result_rate_free(&rate);
    return has_best;
}

bool metric_value_of(const json_t *point, const char *metric, struct metric_value *seen)
{
    if (best_of(point, metric, seen))
        return true;
    seen->kind = "measured";
    seen->source = NULL;
    if (strncmp(metric, COUNT, strlen(COUNT)) == 0)
        return read_value(json_object_get(json_object_get(point, "counters"), metric + strlen(COUNT)), seen);
    if (pace_of(point, metric, seen))
        return true;
    const json_t *power = json_object_get(point, "power");
    if (!read_value(json_object_get(power, metric), seen))
        return false;
    seen->doubtful = strcmp(json_string_or(power, "verdict", ""), "untrustworthy") == 0;
    return true;
}
