#include "report/figure/figure_build.h"

#include "base/memory.h"
#include "base/text/text_set.h"

#include <stdlib.h>
#include <string.h>

/* The first added panel shows the plot's title. */
static void add_plot(struct figure_request *request)
{
    size_t before = request->figure->panel_count;
    const char *title = request->benchmark->title;
    request->title = figure_words(request, request->plot->title,
                                  title == NULL || title[0] == '\0' ? request->name : title);
    if (request->plot->from != NULL)
        figure_add_samples(request);
    else
        figure_add_points(request);
    if (request->figure->panel_count > before)
        request->figure->panels[before].title = request->title;
}

/* The points of each benchmark, so that each figure looks only at its own. */
struct group {
    const struct figure_point **points;
    size_t count;
};

struct groups {
    struct text_set names;
    struct group *items; /* [names.count] */
};

static void group(const struct figure_points *points, struct groups *groups)
{
    for (size_t i = 0; i < points->count; i++) {
        size_t known = groups->names.count;
        size_t at = text_set_add(&groups->names, points->items[i].benchmark);
        if (at == known) {
            groups->items = memory_next(groups->items, known, sizeof *groups->items);
            groups->items[at] = (struct group){0};
        }
        struct group *own = &groups->items[at];
        own->points = memory_next(own->points, own->count, sizeof *own->points);
        own->points[own->count++] = &points->items[i];
    }
}

static void free_groups(struct groups *groups)
{
    for (size_t i = 0; i < groups->names.count; i++)
        free(groups->items[i].points);
    free(groups->items);
    text_set_free(&groups->names);
}

void figure_build(struct figure *figure, const struct figure_results *results, const char *benchmark)
{
    struct groups groups = {0};
    struct figure_request request = {.figure = figure, .results = results};
    group(results->points, &groups);
    for (size_t i = 0; i < results->context->benchmarks.count; i++) {
        const struct benchmark *row = &results->context->benchmarks.items[i];
        request.benchmark = row;
        request.name = row->name;
        if (benchmark != NULL && strcmp(benchmark, request.name) != 0)
            continue;
        size_t at = text_set_find(&groups.names, request.name);
        const struct group own = at < groups.names.count ? groups.items[at] : (struct group){0};
        request.points = own.points;
        request.point_count = own.count;
        bool recorded = row->recipe != NULL && strcmp(row->recipe, "application") == 0;
        if (row->plot_count == 0 && !recorded) /* an application has no recipe, and so no plot */
            figure_warn(figure, request.name, "its recipe has no plot");
        for (size_t j = 0; j < row->plot_count; j++) {
            request.plot = &row->plots[j];
            add_plot(&request);
        }
    }
    free_groups(&groups);
}
