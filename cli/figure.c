#include "cli/figure.h"

#include "base/json.h"
#include "cli/figure_metric.h"
#include "cli/figure_rows.h"
#include "model/blocking_cache.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CURVE_SAMPLES = 101 };

/* One panel on its way from the results to the figure. */
struct drawing {
    struct figure *figure;
    const json_t *context;
    const json_t *points;
    const json_t *benchmark; /* the context's row */
    const json_t *plot;
    struct figure_query query;
    struct figure_rows rows;
};

__attribute__((format(printf, 2, 3))) static void warn(const struct drawing *drawing, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct buffer *warnings = &drawing->figure->warnings;
    size_t start = warnings->size;
    buffer_printf(warnings, "%s: %s", drawing->query.benchmark, text);
    for (size_t i = start; i < warnings->size; i++) /* a recipe's text may not steer the terminal */
        if ((unsigned char)warnings->data[i] < ' ' || warnings->data[i] == 0x7f)
            warnings->data[i] = ' ';
    buffer_text(warnings, "\n");
}

/* ---- the paper's blocking cache ---- */

static bool difference(const json_t *latencies, double *penalty)
{
    const json_t *l1 = json_object_get(latencies, "L1D");
    const json_t *l2 = json_object_get(latencies, "L2");
    *penalty = json_number_value(l2) - json_number_value(l1);
    return json_is_number(l1) && json_is_number(l2);
}

/* What the recipe says, else what was measured here, else what the machine's description says. */
static bool find_penalty(const struct drawing *drawing, const json_t *reference, double *penalty)
{
    const json_t *own = json_object_get(reference, "penalty");
    *penalty = json_number_value(own);
    return json_is_number(own) || difference(json_object_get(drawing->context, "latency_cycles"), penalty) ||
           difference(json_object_get(json_object_get(drawing->context, "machine"), "latency"), penalty);
}

/* The IPC where every load hits, of the line that sorts first: the one with the fewest dependents. */
static double ideal_ipc(const struct figure_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->rows[i].sample.x == 1)
            return rows->rows[i].sample.y;
    return 0;
}

static struct figure_sample *trace_blocking_cache(const struct drawing *drawing, double cpi_base,
                                                  double penalty)
{
    const struct figure_rows *rows = &drawing->rows;
    double left = 1, right = 0;
    for (size_t i = 0; i < rows->count; i++) {
        left = fmin(left, rows->rows[i].sample.x);
        right = fmax(right, rows->rows[i].sample.x);
    }
    struct figure_sample *samples =
        arena_alloc(&drawing->figure->arena, CURVE_SAMPLES, sizeof(struct figure_sample));
    for (int i = 0; i < CURVE_SAMPLES; i++) {
        double hit = left + (right - left) * i / (CURVE_SAMPLES - 1);
        double ipc = blocking_cache_ipc(cpi_base, penalty, hit);
        samples[i] = (struct figure_sample){.x = hit, .y = ipc, .low = ipc, .high = ipc};
    }
    return samples;
}

/* Why there is no curve, or NULL. */
static const char *reference_obstacle(const struct drawing *drawing, const json_t *reference, double *ipc,
                                      double *penalty)
{
    const struct figure_rows *rows = &drawing->rows;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->categories != NULL || rows->rows[i].sample.x < 0 || rows->rows[i].sample.x > 1)
            return "x is no hit rate between 0 and 1";
    *ipc = ideal_ipc(rows);
    if (!(*ipc > 0))
        return "no point with hit rate 1 gives the base IPC";
    if (!find_penalty(drawing, reference, penalty))
        return "the latencies of L1D and L2 are neither measured nor in the machine's description";
    return *penalty < 0 ? "the latency of L2 is below that of L1D" : NULL;
}

static void add_reference(const struct drawing *drawing, struct figure_panel *panel)
{
    const json_t *reference = json_object_get(drawing->plot, "reference");
    const char *kind = json_string_or(reference, "kind", NULL);
    if (kind == NULL || strcmp(json_string_or(reference, "y", "ipc"), drawing->query.metric) != 0)
        return;
    double ipc, penalty;
    const char *obstacle = strcmp(kind, "blocking-cache") == 0
                               ? reference_obstacle(drawing, reference, &ipc, &penalty)
                               : "expected the kind \"blocking-cache\"";
    if (obstacle != NULL) {
        warn(drawing, "no reference curve \"%.60s\": %s", kind, obstacle);
        return;
    }
    if (panel->lines[0].label[0] == '\0') /* beside the curve the only line needs a name too */
        panel->lines[0].label = metric_short_name(&drawing->figure->arena, drawing->query.metric);
    panel->lines[panel->line_count++] =
        (struct figure_line){.label = "blocking cache (2001 paper, equation 1)",
                             .reference = true,
                             .samples = trace_blocking_cache(drawing, 1 / ipc, penalty),
                             .count = CURVE_SAMPLES};
}

/* ---- panels ---- */

static void write_evidence(struct buffer *text, const struct metric_value *seen)
{
    static const char *const joints[][2] = {
        {"measured", " by "}, {"simulated", " by "}, {"inspected", " in the "}, {"inferred", " from "}};
    buffer_text(text, seen->kind);
    for (size_t i = 0; seen->source != NULL && i < sizeof joints / sizeof *joints; i++)
        if (strcmp(seen->kind, joints[i][0]) == 0)
            buffer_printf(text, "%s%s", joints[i][1], seen->source);
}

/* "IPC inferred from timing on zen5"; each kind of evidence that the points rest on is named once. */
static const char *write_subtitle(const struct drawing *drawing)
{
    struct arena *arena = &drawing->figure->arena;
    struct buffer all = {0};
    buffer_printf(&all, "%s ", metric_short_name(arena, drawing->query.metric));
    size_t named = all.size;
    for (size_t i = 0; i < drawing->rows.count; i++) {
        struct buffer one = {0};
        write_evidence(&one, &drawing->rows.rows[i].seen);
        if (strstr(all.data + named, one.data) == NULL)
            buffer_printf(&all, "%s%s", all.size == named ? "" : " and ", one.data);
        buffer_free(&one);
    }
    const char *machine = json_string_or(json_object_get(drawing->context, "machine"), "name", NULL);
    if (machine != NULL)
        buffer_printf(&all, " on %s", machine);
    const char *subtitle = arena_strdup(arena, all.data);
    buffer_free(&all);
    return subtitle;
}

static void add_lines(const struct drawing *drawing, struct figure_panel *panel)
{
    struct arena *arena = &drawing->figure->arena;
    const struct figure_rows *rows = &drawing->rows;
    struct figure_sample *samples = arena_alloc(arena, rows->count, sizeof *samples);
    panel->lines = arena_alloc(arena, rows->count + 1, sizeof *panel->lines); /* one for the reference */
    for (size_t i = 0; i < rows->count; i++) {
        samples[i] = rows->rows[i].sample;
        if (i == 0 || rows->rows[i].line != rows->rows[i - 1].line)
            panel->lines[panel->line_count++] =
                (struct figure_line){.label = rows->rows[i].label, .samples = &samples[i]};
        panel->lines[panel->line_count - 1].count++;
    }
}

static void explain_no_data(const struct drawing *drawing)
{
    const struct figure_query *query = &drawing->query;
    const char *why = "no source observed it";
    if (drawing->rows.found == 0)
        why = "the results hold no point of this benchmark";
    else if (drawing->rows.found == drawing->rows.failed)
        why = "every point failed";
    else if (drawing->rows.with_x == 0)
        why = "no point has the sweep parameter that the plot puts on x";
    else if (strncmp(query->metric, "power.", 6) == 0 || strncmp(query->metric, "energy.", 7) == 0)
        why = json_array_size(json_object_get(drawing->context, "sensors")) == 0
                  ? "no power sensor was read"
                  : "the power sensors gave no value for it";
    warn(drawing, "%.60s against %.60s: no point to draw: %s", query->metric, query->x, why);
}

/* True when the panel has something to show. */
static bool add_panel(struct drawing *drawing, const char *title)
{
    struct figure *figure = drawing->figure;
    drawing->rows = figure_rows_select(&figure->arena, drawing->points, &drawing->query);
    if (drawing->rows.count == 0) {
        explain_no_data(drawing);
        return false;
    }
    struct figure_panel *panel = &figure->panels[figure->panel_count++];
    panel->title = title;
    panel->subtitle = write_subtitle(drawing);
    panel->x_label = arena_strdup(&figure->arena, drawing->query.x);
    panel->y_label = metric_axis_label(&figure->arena, drawing->query.metric);
    panel->categories = drawing->rows.categories;
    panel->category_count = drawing->rows.category_count;
    add_lines(drawing, panel);
    add_reference(drawing, panel);
    return true;
}

static void add_plot(struct drawing *drawing)
{
    struct figure *figure = drawing->figure;
    drawing->query.x = json_string_or(drawing->plot, "x", NULL);
    drawing->query.by = json_string_or(drawing->plot, "by", NULL);
    if (drawing->query.x == NULL) {
        warn(drawing, "a plot of the recipe names no x");
        return;
    }
    const char *title =
        arena_strdup(&figure->arena, json_string_or(drawing->benchmark, "title", drawing->query.benchmark));
    size_t index;
    const json_t *metric;
    json_array_foreach(json_object_get(drawing->plot, "y"), index, metric)
    {
        drawing->query.metric = json_string_value(metric);
        if (drawing->query.metric != NULL && add_panel(drawing, title))
            title = NULL;
    }
    if (title == NULL && drawing->rows.failed > 0)
        warn(drawing, "%zu of %zu points failed and are not drawn", drawing->rows.failed,
             drawing->rows.found);
}

static size_t count_panels(const json_t *benchmarks)
{
    size_t count = 0, i, j;
    const json_t *benchmark, *plot;
    json_array_foreach(benchmarks, i, benchmark)
    {
        json_array_foreach(json_object_get(benchmark, "plot"), j, plot)
        {
            count += json_array_size(json_object_get(plot, "y"));
        }
    }
    return count;
}

void figure_build(struct figure *figure, const json_t *context, const json_t *points, const char *benchmark)
{
    const json_t *benchmarks = json_object_get(context, "benchmarks");
    figure->panels = arena_alloc(&figure->arena, count_panels(benchmarks), sizeof *figure->panels);
    struct drawing drawing = {.figure = figure, .context = context, .points = points};
    size_t index, plot_index;
    json_array_foreach(benchmarks, index, drawing.benchmark)
    {
        drawing.query = (struct figure_query){
            .benchmark = json_string_or(drawing.benchmark, "name", ""),
            .recipe = json_string_or(drawing.benchmark, "recipe", NULL),
        };
        if (benchmark != NULL && strcmp(benchmark, drawing.query.benchmark) != 0)
            continue;
        const json_t *plots = json_object_get(drawing.benchmark, "plot");
        if (json_array_size(plots) == 0)
            warn(&drawing, "its recipe asks for no plot");
        json_array_foreach(plots, plot_index, drawing.plot)
        {
            add_plot(&drawing);
        }
    }
}

void figure_free(struct figure *figure)
{
    arena_free(&figure->arena);
    buffer_free(&figure->warnings);
    memset(figure, 0, sizeof *figure);
}
