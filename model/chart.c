#include "model/chart.h"

#include <math.h>
#include <string.h>

struct chart *chart_add(struct charts *charts, struct arena *arena, enum chart_kind kind, const char *title,
                        const char *subtitle, const char *x, const char *y)
{
    struct chart *chart = arena_alloc(arena, 1, sizeof *chart);
    *chart = (struct chart){.title = arena_strdup(arena, title),
                            .subtitle = arena_strdup(arena, subtitle),
                            .x = arena_strdup(arena, x),
                            .y = arena_strdup(arena, y),
                            .kind = kind,
                            .arena = arena};
    charts->items = arena_next(arena, charts->items, charts->count, sizeof(struct chart *));
    charts->items[charts->count++] = chart;
    return chart;
}

static struct chart_line *find_line(struct chart *chart, const char *label)
{
    for (size_t i = 0; i < chart->count; i++)
        if (strcmp(chart->lines[i].label, label) == 0)
            return &chart->lines[i];
    return NULL;
}

void chart_sample(struct chart *chart, const char *label, double x, struct interval y)
{
    struct chart_line *line = find_line(chart, label);
    if (line == NULL) {
        chart->lines = arena_next(chart->arena, chart->lines, chart->count, sizeof *chart->lines);
        line = &chart->lines[chart->count++];
        *line = (struct chart_line){.label = arena_strdup(chart->arena, label)};
    }
    if (!isfinite(x) || !isfinite(y.value) || !isfinite(y.low) || !isfinite(y.high))
        return;
    line->samples = arena_next(chart->arena, line->samples, line->count, sizeof *line->samples);
    line->samples[line->count++] = (struct chart_point){x, y.value, y.low, y.high};
}

void chart_curve(struct chart *chart, const char *label, const char *like)
{
    struct chart_line *line = find_line(chart, label);
    if (line == NULL)
        return;
    line->reference = true;
    line->like = like == NULL ? NULL : arena_strdup(chart->arena, like);
}

void chart_bar(struct chart *chart, const char *label, const char *category, struct interval y)
{
    size_t index = 0;
    while (index < chart->category_count && strcmp(chart->categories[index], category) != 0)
        index++;
    if (index == chart->category_count) {
        chart->categories =
            arena_next(chart->arena, chart->categories, chart->category_count, sizeof(const char *));
        chart->categories[chart->category_count++] = arena_strdup(chart->arena, category);
    }
    chart_sample(chart, label, (double)index, y);
}

void chart_diagonal(struct chart *chart, const char *label)
{
    double least = INFINITY;
    double most = -INFINITY;
    for (size_t i = 0; i < chart->count; i++)
        for (size_t j = 0; j < chart->lines[i].count; j++) {
            const struct chart_point *sample = &chart->lines[i].samples[j];
            least = fmin(least, fmin(sample->x, sample->y));
            most = fmax(most, fmax(sample->x, sample->y));
        }
    if (!(least < most))
        return;
    chart_sample(chart, label, least, (struct interval){least, least, least, 0});
    chart_sample(chart, label, most, (struct interval){most, most, most, 0});
    chart_curve(chart, label, NULL);
}
