/* trauma plot: draws the figures of recipes from results, with gnuplot. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "cli/command.h"
#include "report/figure/figure.h"
#include "report/figure/figure_asked.h"
#include "report/figure/figure_build.h"
#include "report/figure/figure_draw.h"
#include "report/figure/figure_read.h"
#include "runner/results/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accepted[] = {"output", "x", "y", "by", "benchmark", "quiet", NULL};

struct plot_request {
    const char *results;
    const char *output;
    const char *benchmark;  /* NULL: all */
    const char *x, *y, *by; /* NULL: what the recipes ask for */
    enum figure_format format;
};

static enum status check_request(struct plot_request *request, struct error *error)
{
    if (request->results == NULL || request->output == NULL) {
        error_set(error, STATUS_USAGE, "%s",
                  request->results == NULL ? "trauma plot needs a results file"
                                           : "trauma plot needs -o FILE to draw into");
        error_hint(error, "trauma plot RESULTS -o FILE.svg");
        return STATUS_USAGE;
    }
    if ((request->x == NULL) != (request->y == NULL) || (request->by != NULL && request->x == NULL)) {
        error_set(error, STATUS_USAGE, "%s is given without %s",
                  request->by != NULL && request->x == NULL ? "--by"
                  : request->x != NULL                      ? "--x"
                                                            : "--y",
                  request->y != NULL && request->x == NULL ? "--x"
                  : request->x != NULL                     ? "--y"
                                                           : "--x and --y");
        error_hint(error, "trauma plot RESULTS -o FILE.svg --x NAME --y METRIC [--by NAME]");
        return STATUS_USAGE;
    }
    return figure_format_of(request->output, &request->format, error);
}

static enum status check_benchmark(const json_t *context, const char *name, struct error *error)
{
    const json_t *benchmarks = json_object_get(context, "benchmarks");
    size_t count = json_array_size(benchmarks);
    const char **names = memory_zeroed(count, sizeof *names);
    bool found = name == NULL;
    for (size_t i = 0; i < count; i++) {
        names[i] = json_string_or(json_array_get(benchmarks, i), "name", "");
        found = found || strcmp(names[i], name) == 0;
    }
    enum status status = STATUS_OK;
    if (!found) {
        status = error_set(error, STATUS_USAGE, "the results have no benchmark %s", name);
        suggest_hint(error, name, names, count, "without --benchmark, all are drawn");
    }
    free(names);
    return status;
}

/* Reports why there is no panel: no recipe has a plot, or the results lack its data. */
static enum status nothing_to_draw(const json_t *context, const struct plot_request *request,
                                   struct error *error)
{
    const json_t *benchmarks = json_object_get(context, "benchmarks");
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        bool wanted = request->benchmark == NULL ||
                      strcmp(json_string_or(benchmark, "name", ""), request->benchmark) == 0;
        if (wanted && json_array_size(json_object_get(benchmark, "plot")) > 0)
            return error_set(error, STATUS_UNAVAILABLE,
                             "nothing to draw in %s, for the reasons in the warnings", request->results);
    }
    error_set(error, STATUS_USAGE, "nothing to draw in %s: none of its recipes has a plot", request->results);
    error_hint(error, "trauma plot --x NAME --y METRIC draws what a recipe forgot; plot = { x = ..., y = { "
                      "... } } in a benchmark is drawn always");
    return STATUS_USAGE;
}

static enum status draw(const struct options *options, const struct plot_request *request,
                        const json_t *context, struct results_reader *results, struct error *error)
{
    char folder[FILE_PATH_BYTES];
    struct figure figure = {0};
    enum status status;
    file_folder_of(folder, request->results);
    struct figure_points points;
    status = figure_points_read(results, context, &points, error);
    if (status == STATUS_OK) {
        const struct figure_results drawn = {context, &points, folder};
        figure_build(&figure, &drawn, request->benchmark);
        command_warn_lines(options, figure.warnings.data);
        status = figure.panel_count > 0 ? figure_draw(&figure, request->format, request->output, error)
                                        : nothing_to_draw(context, request, error);
    }
    figure_free(&figure);
    figure_points_free(&points);
    return status;
}

static enum status plot(const struct options *options, const struct plot_request *request,
                        struct results_reader *results, struct error *error)
{
    command_warn_cut(options, request->results, results->cut);
    command_warn_simulated(options, request->results, results->context);
    enum status status = check_benchmark(results->context, request->benchmark, error);
    if (status != STATUS_OK || request->x == NULL)
        return status == STATUS_OK ? draw(options, request, results->context, results, error) : status;
    const struct figure_asked asked = {request->x, request->y, request->by, request->benchmark};
    struct buffer warnings = {0};
    json_t *context = NULL;
    status = figure_asked_context(&asked, results, &context, &warnings, error);
    if (status == STATUS_OK) {
        command_warn_lines(options, warnings.data);
        status = draw(options, request, context, results, error);
    }
    buffer_free(&warnings);
    json_decref(context);
    return status;
}

enum status plot_results(const struct options *options, const char *results, const char *output,
                         struct error *error)
{
    struct plot_request request = {.results = results, .output = output};
    struct results_reader reader = {0};
    enum status status = check_request(&request, error);
    if (status != STATUS_OK)
        return status;
    status = results_open(results, &reader, error);
    if (status == STATUS_OK)
        status = plot(options, &request, &reader, error);
    results_reader_close(&reader);
    return status;
}

static int run(const struct options *options)
{
    struct plot_request request = {.results = options->inputs[0],
                                   .output = options->output,
                                   .benchmark = options->benchmark,
                                   .x = options->x,
                                   .y = options->y,
                                   .by = options->by};
    struct error error = {0};
    enum status status = STATUS_OK;
    if (options->input_count > 1) {
        status = error_set(&error, STATUS_USAGE, "trauma plot draws one results file; found %s and %s",
                           options->inputs[0], options->inputs[1]);
        error_hint(&error, "draw each with its own -o");
    }
    if (status == STATUS_OK)
        status = check_request(&request, &error);
    if (status != STATUS_OK)
        return command_fail(&error);
    struct results_reader results;
    status = results_open(request.results, &results, &error);
    if (status == STATUS_OK)
        status = plot(options, &request, &results, &error);
    results_reader_close(&results);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_plot = {
    .name = "plot",
    .arguments = "RESULTS.jsonl -o FILE.svg|FILE.png [OPTIONS]",
    .summary = "draws the figures of recipes from results",
    .details =

        "Draws what a recipe's `plot` describes (docs/reference/recipes.md): lines, points, bars, traces "
        "over time. Each value is the best evidence in the results: measured, else simulated or inspected, "
        "else inferred; predictions are never drawn. A metric that no point has is left out with a warning. "
        "Needs gnuplot.\n"
        "\n"
        "--x and --y draw what a recipe forgot, in place of its figures: a metric (or several, with commas, "
        "a panel each) against a sweep parameter or another metric; --by makes a line of each value of "
        "another parameter. Other parameters that vary make lines too. Metrics have the names of trauma "
        "export without its counter., of which plots say events.; values in geometric steps get a "
        "logarithmic axis.\n",
    .examples = "  trauma plot results.jsonl -o ipc.svg --x miss --y ipc --by dependents\n"
                "  trauma plot results.jsonl -o two.png --x miss --y unit.ns,ipc\n",
    .options = accepted,
    .run = run,
};
