#include "report/figure/figure_build.h"

#include "base/json.h"
#include "report/figure/figure_points.h"
#include "report/figure/figure_request.h"
#include "report/figure/figure_samples.h"

#include <string.h>

/* The first added panel shows the plot's title. */
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
            figure_warn(figure, request.name, "its recipe has no plot");
        json_array_foreach(plots, plot_index, request.plot)
        {
            add_plot(&request);
        }
    }
}
