#include "report/figure/model_figure.h"

#include "base/arena.h"
#include "report/figure/figure.h"
#include "report/figure/figure_draw.h"

#include <stdlib.h>
#include <string.h>

static const enum figure_kind kinds[] = {[CHART_LINES] = FIGURE_LINES,
                                         [CHART_POINTS] = FIGURE_POINTS,
                                         [CHART_BARS] = FIGURE_BARS,
                                         [CHART_STACKED] = FIGURE_STACKED};

/* The lower end of a stacked sample: the upper end of the earlier lines' samples at the same x. */
static double base_of(const struct figure_panel *panel, size_t lines, double x)
{
    double top = 0;
    for (size_t i = 0; panel->kind == FIGURE_STACKED && i < lines; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++)
            if (panel->lines[i].samples[j].x == x)
                top = panel->lines[i].samples[j].y;
    return top;
}

/* The colour of the earlier line with the same label. */
static size_t colour_of(const struct figure_panel *panel, size_t lines, const char *like)
{
    for (size_t i = 0; i < lines; i++)
        if (strcmp(panel->lines[i].label, like) == 0)
            return panel->lines[i].colour;
    return FIGURE_GREY;
}

/* Whether the bars show the same part: "stalls", and its share "stalls, of dynamic". */
static bool is_part(const char *label, const char *other)
{
    size_t length = strcspn(label, ",");
    return length == strcspn(other, ",") && strncmp(label, other, length) == 0;
}

/* The colour of a bar: that of its part in an earlier panel, else a new one. */
static size_t bar_colour(const struct figure *figure, const struct figure_panel *panel, size_t lines,
                         const char *label)
{
    size_t next = 0;
    for (const struct figure_panel *at = figure->panels; at <= panel; at++)
        for (size_t i = 0; i < (at == panel ? lines : at->line_count); i++) {
            if (at < panel && is_part(at->lines[i].label, label))
                return at->lines[i].colour;
            if (at->lines[i].colour != FIGURE_GREY)
                next = at->lines[i].colour >= next ? at->lines[i].colour + 1 : next;
        }
    return next;
}

/* Sorts samples by x, so that joined lines go from left to right. */
static int by_x(const void *a, const void *b)
{
    double x = ((const struct figure_sample *)a)->x;
    double y = ((const struct figure_sample *)b)->x;
    return (x > y) - (x < y);
}

static void set_line(struct figure *figure, struct figure_panel *panel, size_t index,
                     const struct chart_line *line)
{
    struct figure_sample *made = arena_alloc(&figure->arena, line->count, sizeof *made);
    struct figure_line *to = &panel->lines[index];
    to->label = line->label;
    to->reference = line->reference;
    to->colour = to->reference ? colour_of(panel, index, line->like == NULL ? "" : line->like)
                 : panel->kind == FIGURE_BARS || panel->kind == FIGURE_STACKED
                     ? bar_colour(figure, panel, index, line->label)
                     : index;
    for (size_t i = 0; i < line->count; i++) {
        const struct chart_point *sample = &line->samples[i];
        double base = base_of(panel, index, sample->x);
        made[i] = (struct figure_sample){.x = sample->x,
                                         .y = base + sample->y,
                                         .low = base + sample->low,
                                         .high = base + sample->high,
                                         .base = base};
    }
    if (panel->kind == FIGURE_LINES)
        qsort(made, line->count, sizeof *made, by_x);
    to->samples = made;
    to->count = line->count;
}

/* Whether the chart requests a logarithmic axis, and all samples are above 0. */
static bool is_log(const struct chart *chart, char axis)
{
    if (chart->log == NULL || strchr(chart->log, axis) == NULL)
        return false;
    for (size_t i = 0; i < chart->count; i++)
        for (size_t j = 0; j < chart->lines[i].count; j++) {
            const struct chart_point *sample = &chart->lines[i].samples[j];
            if (!((axis == 'x' ? sample->x : sample->low) > 0))
                return false;
        }
    return true;
}

static void add_panel(struct figure *figure, const struct chart *chart, const char *simulated)
{
    struct figure_panel *panel = figure_add_panel(figure);
    panel->title = panel->heading = chart->title;
    panel->subtitle = simulated == NULL ? chart->subtitle
                                        : arena_print(&figure->arena, "%s%s%s", chart->subtitle,
                                                      chart->subtitle[0] == '\0' ? "" : "; ", simulated);
    panel->x_label = chart->x;
    panel->y_label = chart->y;
    panel->kind = kinds[chart->kind];
    panel->from_zero = panel->kind == FIGURE_BARS || panel->kind == FIGURE_STACKED;
    panel->x_is_log = is_log(chart, 'x');
    panel->y_is_log = is_log(chart, 'y');
    panel->category_count = chart->category_count;
    if (chart->category_count > 0)
        panel->categories = chart->categories;
    panel->lines = arena_alloc(&figure->arena, chart->count, sizeof *panel->lines);
    for (size_t i = 0; i < chart->count; i++)
        set_line(figure, panel, panel->line_count++, &chart->lines[i]);
}

enum status model_figure_check(const char *output, struct error *error)
{
    enum figure_format format;
    enum status status = figure_format_of(output, &format, error);
    return status == STATUS_OK ? figure_check_gnuplot(error) : status;
}

enum status model_figure_draw(const struct charts *charts, const char *simulated, const char *output,
                              struct error *error)
{
    struct figure figure = {0};
    enum figure_format format;
    enum status status = figure_format_of(output, &format, error);
    for (size_t i = 0; i < charts->count; i++)
        if (charts->items[i]->count > 0)
            add_panel(&figure, charts->items[i], simulated);
    if (status == STATUS_OK && figure.panel_count == 0)
        status = error_set(error, STATUS_UNAVAILABLE, "this model has no figure for this input");
    if (status == STATUS_OK)
        status = figure_draw(&figure, format, output, error);
    figure_free(&figure);
    return status;
}
