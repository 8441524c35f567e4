#include "report/figure/model_figure.h"

#include "base/arena.h"
#include "base/json.h"
#include "report/figure/figure.h"
#include "report/figure/figure_draw.h"
#include "runner/results/simulated.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    enum figure_kind kind;
} kinds[] = {
    {"lines", FIGURE_LINES}, {"points", FIGURE_POINTS}, {"bars", FIGURE_BARS}, {"stacked", FIGURE_STACKED}};

static enum figure_kind kind_of(const json_t *chart)
{
    const char *word = json_string_or(chart, "kind", "");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].word, word) == 0)
            return kinds[i].kind;
    return FIGURE_LINES;
}

static double number_at(const json_t *sample, size_t index)
{
    return json_number_value(json_array_get(sample, index));
}

/* The start of a stacked sample: the end of the earlier lines' samples at the same x. */
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

/* Sorts samples by x, so that joined lines go from left to right. */
static int by_x(const void *a, const void *b)
{
    double x = ((const struct figure_sample *)a)->x;
    double y = ((const struct figure_sample *)b)->x;
    return (x > y) - (x < y);
}

static void set_line(struct figure *figure, struct figure_panel *panel, size_t index, const json_t *line)
{
    const json_t *samples = json_object_get(line, "samples");
    size_t count = json_array_size(samples);
    struct figure_sample *made = arena_alloc(&figure->arena, count, sizeof *made);
    struct figure_line *to = &panel->lines[index];
    to->label = json_string_or(line, "label", "");
    to->reference = json_is_true(json_object_get(line, "reference"));
    to->colour = to->reference ? colour_of(panel, index, json_string_or(line, "like", "")) : index;
    for (size_t i = 0; i < count; i++) {
        const json_t *sample = json_array_get(samples, i);
        double base = base_of(panel, index, number_at(sample, 0));
        made[i] = (struct figure_sample){.x = number_at(sample, 0),
                                         .y = base + number_at(sample, 1),
                                         .low = base + number_at(sample, 2),
                                         .high = base + number_at(sample, 3),
                                         .base = base};
    }
    if (panel->kind == FIGURE_LINES)
        qsort(made, count, sizeof *made, by_x);
    to->samples = made;
    to->count = count;
}

/* True if all samples are above 0 there, as a logarithmic axis needs. */
static bool is_above_0(const json_t *chart, size_t index)
{
    const json_t *line;
    const json_t *sample;
    size_t i;
    size_t j;
    json_array_foreach(json_object_get(chart, "lines"), i, line) json_array_foreach(
        json_object_get(line, "samples"), j, sample) if (!(number_at(sample, index) > 0)) return false;
    return true;
}

/* What the chart says of itself, and whether its numbers rest on simulated ones. */
static const char *subtitle_of(struct figure *figure, const json_t *document, const json_t *chart)
{
    const char *own = json_string_or(chart, "subtitle", "");
    const char *label = simulated_label(document);
    if (label == NULL)
        return own;
    struct buffer text = {0};
    buffer_printf(&text, "%s%s%s", own, own[0] == '\0' ? "" : "; ", label);
    return arena_take(&figure->arena, &text);
}

static void add_panel(struct figure *figure, const json_t *document, const json_t *chart)
{
    struct figure_panel *panel = figure_add_panel(figure);
    const json_t *lines = json_object_get(chart, "lines");
    const json_t *categories = json_object_get(chart, "categories");
    panel->title = panel->heading = json_string_or(chart, "title", "");
    panel->subtitle = subtitle_of(figure, document, chart);
    panel->x_label = json_string_or(chart, "x", "");
    panel->y_label = json_string_or(chart, "y", "");
    panel->kind = kind_of(chart);
    panel->from_zero = panel->kind == FIGURE_BARS || panel->kind == FIGURE_STACKED;
    panel->x_is_log = strchr(json_string_or(chart, "log", ""), 'x') != NULL && is_above_0(chart, 0);
    panel->y_is_log = strchr(json_string_or(chart, "log", ""), 'y') != NULL && is_above_0(chart, 2);
    panel->category_count = json_array_size(categories);
    if (panel->category_count > 0)
        panel->categories = arena_alloc(&figure->arena, panel->category_count, sizeof *panel->categories);
    for (size_t i = 0; i < panel->category_count; i++)
        panel->categories[i] = json_string_value(json_array_get(categories, i));
    size_t count = json_array_size(lines);
    panel->lines = arena_alloc(&figure->arena, count, sizeof *panel->lines);
    for (size_t i = 0; i < count; i++)
        set_line(figure, panel, panel->line_count++, json_array_get(lines, i));
}

enum status model_figure_check(const char *output, struct error *error)
{
    enum figure_format format;
    enum status status = figure_format_of(output, &format, error);
    return status == STATUS_OK ? figure_check_gnuplot(error) : status;
}

enum status model_figure_draw(const json_t *document, const char *output, struct error *error)
{
    struct figure figure = {0};
    enum figure_format format;
    const json_t *chart;
    size_t i;
    enum status status = figure_format_of(output, &format, error);
    json_array_foreach(json_object_get(document, "charts"), i,
                       chart) if (json_array_size(json_object_get(chart, "lines")) > 0)
        add_panel(&figure, document, chart);
    if (status == STATUS_OK && figure.panel_count == 0)
        status = error_set(error, STATUS_UNAVAILABLE, "this model has no figure for this input");
    if (status == STATUS_OK)
        status = figure_draw(&figure, format, output, error);
    figure_free(&figure);
    return status;
}
