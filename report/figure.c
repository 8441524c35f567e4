#include "report/figure.h"

#include "base/json.h"
#include "base/visible.h"
#include "report/figure_request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void figure_warn(struct figure *figure, const char *benchmark, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct buffer *warnings = &figure->warnings;
    visible_append(warnings, benchmark); /* no text of a recipe ends the line */
    buffer_text(warnings, ": ");
    visible_append(warnings, text);
    buffer_text(warnings, "\n");
}

struct figure_panel *figure_add_panel(struct figure *figure)
{
    size_t count = figure->panel_count;
    if ((count & (count - 1)) == 0) { /* full: 0, 1, 2, 4, ... */
        size_t room = count == 0 ? 1 : 2 * count;
        struct figure_panel *panels = arena_alloc(&figure->arena, room, sizeof *panels);
        if (count > 0)
            memcpy(panels, figure->panels, count * sizeof *panels);
        figure->panels = panels;
    }
    struct figure_panel *panel = &figure->panels[figure->panel_count++];
    *panel = (struct figure_panel){.heading = "", .from_zero = true};
    return panel;
}

const char *figure_machine(const struct figure_request *request)
{
    return json_string_or(json_object_get(request->results->context, "machine"), "name", NULL);
}

const char *figure_words(const struct figure_request *request, const char *key, const char *otherwise)
{
    return arena_strdup(&request->figure->arena, json_string_or(request->plot, key, otherwise));
}

/* The first panel that was added shows the plot's title. */
static void add_plot(struct figure_request *request)
{
    size_t before = request->figure->panel_count;
    const char *title = json_string_or(request->benchmark, "title", "");
    request->title = figure_words(request, "title", title[0] == '\0' ? request->name : title);
    if (json_object_get(request->plot, "from") != NULL)
        figure_add_samples(request);
    else
        figure_add_points(request);
    if (request->figure->panel_count > before)
        request->figure->panels[before].title = request->title;
}

void figure_build(struct figure *figure, const struct figure_results *results, const char *benchmark)
{
    struct figure_request request = {.figure = figure, .results = results};
    size_t index, plot_index;
    json_array_foreach(json_object_get(results->context, "benchmarks"), index, request.benchmark)
    {
        request.name = json_string_or(request.benchmark, "name", "");
        if (benchmark != NULL && strcmp(benchmark, request.name) != 0)
            continue;
        const json_t *plots = json_object_get(request.benchmark, "plot");
        if (json_array_size(plots) == 0)
            figure_warn(figure, request.name, "its recipe asks for no plot");
        json_array_foreach(plots, plot_index, request.plot)
        {
            add_plot(&request);
        }
    }
}

void figure_free(struct figure *figure)
{
    arena_free(&figure->arena);
    buffer_free(&figure->warnings);
    memset(figure, 0, sizeof *figure);
}
