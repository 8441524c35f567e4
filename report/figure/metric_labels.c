#include "report/figure/metric_labels.h"

#include "base/buffer.h"
#include "generator/metric/metric.h"

#include <stddef.h>
#include <string.h>

/* The label with the star's part of the name, and the unit if one is given. */
static const char *compose(struct arena *arena, const struct metric *row, const char *label,
                           const char *metric, const char *unit)
{
    struct buffer text = {0};
    const char *star = strchr(label, '*');
    size_t length = 0;
    const char *part = metric_part(row, metric, &length);
    buffer_append(&text, label, star == NULL ? strlen(label) : (size_t)(star - label));
    if (star != NULL && part != NULL)
        buffer_append(&text, part, length);
    if (star != NULL)
        buffer_text(&text, star + 1);
    if (unit[0] != '\0')
        buffer_printf(&text, " (%s)", unit);
    return arena_take(arena, &text);
}

const char *metric_axis_label(struct arena *arena, const char *metric)
{
    const struct metric *row = metric_find(metric);
    return row == NULL
               ? arena_strdup(arena, metric)
               : compose(arena, row, row->label, metric, row->unit_in_label ? "" : metric_shown_unit(metric));
}

const char *metric_short_name(struct arena *arena, const char *metric)
{
    const struct metric *row = metric_find(metric);
    return row == NULL ? arena_strdup(arena, metric)
                       : compose(arena, row, row->brief != NULL ? row->brief : row->label, metric, "");
}

/* The common label of metrics with this prefix that are several rows. */
static const struct {
    const char *prefix, *words;
} families[] = {{"power.", "Power"}, {"energy.", "Energy"}};

/* The row of the table of metrics that all share, if its name has a star; else NULL. */
static const struct metric *common_row(struct metric_names metrics)
{
    const struct metric *row = NULL;
    for (size_t i = 0; i < metrics.count; i++) {
        const char *metric = metrics.items[i];
        const struct metric *own = metric == NULL ? NULL : metric_find(metric);
        if (own == NULL || own->star == STAR_NONE || (row != NULL && own != row))
            return NULL;
        row = own;
    }
    return row;
}

static bool all_begin_with(struct metric_names metrics, const char *prefix)
{
    for (size_t i = 0; i < metrics.count; i++) {
        const char *metric = metrics.items[i];
        if (metric == NULL || strncmp(metric, prefix, strlen(prefix)) != 0)
            return false;
    }
    return metrics.count > 0;
}

const char *metrics_axis_label(struct arena *arena, struct metric_names metrics)
{
    struct buffer text = {0};
    if (metrics.count == 1 && metrics.items[0] != NULL)
        return metric_axis_label(arena, metrics.items[0]);
    const struct metric *row = common_row(metrics);
    if (row != NULL) { /* "Bandwidth, *": without what follows the words */
        size_t length = strcspn(row->label, "*");
        while (length > 0 && strchr(", ", row->label[length - 1]) != NULL)
            length--;
        buffer_append(&text, row->label, length);
        const char *first = metrics.items[0];
        if (!row->unit_in_label && metric_shown_unit(first)[0] != '\0')
            buffer_printf(&text, " (%s)", metric_shown_unit(first));
    }
    for (size_t i = 0; text.size == 0 && i < sizeof families / sizeof *families; i++)
        if (all_begin_with(metrics, families[i].prefix))
            buffer_printf(&text, "%s (%s)", families[i].words, metric_shown_unit(metrics.items[0]));
    for (size_t i = 0, named = text.size; named == 0 && i < metrics.count; i++) {
        const char *metric = metrics.items[i];
        if (metric != NULL)
            buffer_printf(&text, "%s%s", text.size == 0 ? "" : ", ", metric_short_name(arena, metric));
    }
    return arena_take(arena, &text);
}

const char *metric_own_name(struct arena *arena, const char *metric, struct metric_names metrics)
{
    const struct metric *row = metrics.count > 1 ? common_row(metrics) : NULL;
    return row != NULL && row == metric_find(metric) ? compose(arena, row, "*", metric, "")
                                                     : metric_short_name(arena, metric);
}
