/* trauma plot: draws the figures of recipes from results, with gnuplot. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/text/suggest.h"
#include "base/text/text_set.h"
#include "cli/command.h"
#include "report/figure/figure.h"
#include "report/figure/figure_build.h"
#include "report/figure/figure_draw.h"
#include "report/figure/figure_read.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accepted[] = {"output", "x", "y", "by", "benchmark", "quiet", NULL};

struct plot_request {
    const char *results;
    const char *output;
    const char *benchmark; /* NULL: all */
    const char *x, *by;    /* a sweep parameter or a metric; a sweep parameter */
    const char *y;         /* metrics, with commas; NULL: the recipes' own plots */
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

/* ---- a plot of --x and --y ---- */

/* The names and values in the points of one benchmark. */
struct found {
    struct text_set parameters, metrics;
    double *x; /* the numbers on x; owned */
    size_t x_count;
    bool other_x; /* x has values that are not numbers, too */
};

enum { GEOMETRIC_LEAST = 4 };
static const double GEOMETRIC_STEP = 1.5;

static const char *const own_members[] = {"benchmark", "recipe",   "point", "rates", "power",
                                          "counters",  "per_pass", "time",  NULL};

static void add_x(struct found *found, const struct value *value)
{
    if (value->kind == VALUE_NUMBER) {
        found->x = memory_next(found->x, found->x_count, sizeof *found->x);
        found->x[found->x_count++] = value->number;
    }
    found->other_x = found->other_x || (value->kind != VALUE_NUMBER && value->kind != VALUE_NONE);
}

static bool was_observed(const struct result_rate *rate)
{
    for (size_t i = 0; i < rate->seen.count; i++)
        if (rate->seen.items[i].kind != EVIDENCE_PREDICTED)
            return true;
    return false;
}

/* The names that metric_value_of finds. */
static void add_metrics(struct text_set *metrics, const struct result_point *point)
{
    for (size_t i = 0; i < point->rates.count; i++)
        if (was_observed(&point->rates.items[i]))
            text_set_add(metrics, point->rates.items[i].metric);
    for (size_t i = 0; i < point->power.values.count; i++)
        if (!isnan(point->power.values.items[i].interval.value))
            text_set_add(metrics, point->power.values.items[i].name);
    for (size_t i = 0; i < point->counters.count; i++) {
        struct buffer event = {0};
        buffer_printf(&event, "events.%s", point->counters.items[i].name);
        text_set_add(metrics, event.data);
        buffer_free(&event);
    }
    if (!point->timed)
        return;
    text_set_add(metrics, "time.ticks_per_pass");
    if (point->per_pass.count > 0) {
        text_set_add(metrics, "ticks_per_load");
        text_set_add(metrics, "loads_per_tick");
    }
}

static bool is_of(const struct result_point *point, const struct benchmark *benchmark)
{
    return strcmp(point->benchmark, benchmark->name) == 0 &&
           (point->recipe[0] == '\0' || benchmark->recipe == NULL ||
            strcmp(point->recipe, benchmark->recipe) == 0);
}

static void find_in_point(const struct plot_request *request, const struct results_context *context,
                          const struct result_point *point, struct found *found)
{
    for (size_t i = 0; i < context->benchmarks.count; i++) {
        if (!is_of(point, &context->benchmarks.items[i]))
            continue;
        for (size_t j = 0; j < point->parameters.count; j++)
            text_set_add(&found[i].parameters, point->parameters.parts[j].name);
        add_metrics(&found[i].metrics, point);
        add_x(&found[i], value_get(&point->parameters, request->x));
    }
}

/* ---- names ---- */

static bool is_wanted(const struct plot_request *request, const struct benchmark *benchmark)
{
    return request->benchmark == NULL || strcmp(benchmark->name, request->benchmark) == 0;
}

static void add_names(struct text_set *all, const struct text_set *names)
{
    for (size_t i = 0; i < names->count; i++)
        text_set_add(all, names->texts[i]);
}

static bool has_name(const struct text_set *names, const char *name)
{
    return text_set_find(names, name) < names->count;
}

/* Refuses a name that none of the wanted benchmarks has. */
static enum status check_name(const struct plot_request *request, const struct results_context *context,
                              const struct found *found, const char *option, const char *name,
                              const char *what, bool parameters, bool metrics, struct error *error)
{
    struct text_set there = {0};
    struct buffer list = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < context->benchmarks.count; i++) {
        if (!is_wanted(request, &context->benchmarks.items[i]))
            continue;
        if (parameters)
            add_names(&there, &found[i].parameters);
        if (metrics)
            add_names(&there, &found[i].metrics);
    }
    for (size_t i = 0; i < there.count; i++)
        buffer_printf(&list, "%s%s", i == 0 ? "there are: " : ", ", there.texts[i]);
    if (!has_name(&there, name)) {
        status = error_set(error, STATUS_USAGE, "%s %s: no point has this %s", option, name, what);
        suggest_hint(error, name, (const char *const *)there.texts, there.count,
                     there.count == 0 ? "the points have none" : list.data);
    }
    buffer_free(&list);
    text_set_free(&there);
    return status;
}

/* The metrics of --y. */
static enum status read_metrics(const struct plot_request *request, const struct results_context *context,
                                const struct found *found, struct arena *arena,
                                struct benchmark_words *metrics, struct error *error)
{
    enum status status = STATUS_OK;
    for (const char *at = request->y; status == STATUS_OK; at++) {
        size_t length = strcspn(at, ",");
        const char *name = arena_print(arena, "%.*s", (int)length, at);
        status = check_name(request, context, found, "--y", name, "metric", false, true, error);
        metrics->items = arena_next(arena, metrics->items, metrics->count, sizeof *metrics->items);
        metrics->items[metrics->count++] = name;
        at += length;
        if (*at == '\0')
            break;
    }
    return status;
}

/* ---- the plot ---- */

static bool is_geometric(const struct found *found)
{
    size_t count = found->other_x ? 0 : found->x_count, steps = 1;
    const double *sorted = found->x;
    if (count > 0)
        stats_sort(found->x, count);
    bool geometric = count > 0 && sorted[0] > 0;
    for (size_t i = 1; geometric && i < count; i++) {
        steps += sorted[i] != sorted[i - 1];
        geometric = sorted[i] == sorted[i - 1] || sorted[i] / sorted[i - 1] >= GEOMETRIC_STEP;
    }
    return geometric && steps >= GEOMETRIC_LEAST;
}

static bool has_all(const struct plot_request *request, const struct found *found,
                    const struct benchmark_words *metrics)
{
    bool any = false;
    for (size_t i = 0; i < metrics->count; i++)
        any = any || has_name(&found->metrics, metrics->items[i]);
    return any && (request->by == NULL || has_name(&found->parameters, request->by)) &&
           (has_name(&found->parameters, request->x) || has_name(&found->metrics, request->x));
}

/* Keeps the benchmarks that have the requested names, with the plot. Its title is the benchmark's name, as
 * the benchmark's title is about the recipe's plots. */
static void keep_with_plot(const struct plot_request *request, struct found *found,
                           const struct benchmark_words *metrics, struct arena *arena,
                           struct results_context *context, struct buffer *warnings)
{
    struct benchmark *kept = arena_alloc(arena, context->benchmarks.count, sizeof *kept);
    struct benchmark_plot *plots = arena_alloc(arena, context->benchmarks.count, sizeof *plots);
    size_t count = 0;
    for (size_t i = 0; i < context->benchmarks.count; i++) {
        const struct benchmark *benchmark = &context->benchmarks.items[i];
        if (!is_wanted(request, benchmark))
            continue;
        if (!has_all(request, &found[i], metrics)) {
            buffer_printf(warnings, "%s is not drawn: it lacks one of the requested names\n",
                          benchmark->name);
            continue;
        }
        plots[count] = (struct benchmark_plot){.title = benchmark->name,
                                               .x = request->x,
                                               .y = *metrics,
                                               .by = request->by,
                                               .sizes = benchmark->sizes,
                                               .log = is_geometric(&found[i]) ? "x" : NULL};
        kept[count] = *benchmark;
        kept[count].plots = &plots[count];
        kept[count++].plot_count = 1;
    }
    context->benchmarks.items = kept;
    context->benchmarks.count = count;
}

static enum status read_found(const struct plot_request *request, struct results_reader *results,
                              struct found *found, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < results->count; i++) {
        struct result_point point;
        status = result_point_load(results, i, own_members, &point, error);
        if (status != STATUS_OK)
            continue;
        find_in_point(request, &results->context, &point, found);
        result_point_free(&point);
    }
    return status;
}

/* Fills *context with that of the results, from which it borrows, but keeps only the benchmarks that have the
 * parameters and a metric, each with the requested plot alone; *warnings has a line for each other one. The x
 * axis is logarithmic if its values are in geometric steps. Lists are in the arena. STATUS_USAGE for a name
 * that no point has, with the nearest one. */
static enum status own_plot_context(const struct plot_request *request, struct results_reader *results,
                                    struct arena *arena, struct results_context *context,
                                    struct buffer *warnings, struct error *error)
{
    size_t count = results->context.benchmarks.count;
    struct found *found = memory_zeroed(count + 1, sizeof *found);
    struct benchmark_words metrics = {0};
    *context = results->context;
    enum status status = read_found(request, results, found, error);
    if (status == STATUS_OK)
        status = check_name(request, context, found, "--x", request->x, "sweep parameter or metric", true,
                            true, error);
    if (status == STATUS_OK && request->by != NULL)
        status =
            check_name(request, context, found, "--by", request->by, "sweep parameter", true, false, error);
    if (status == STATUS_OK)
        status = read_metrics(request, context, found, arena, &metrics, error);
    if (status == STATUS_OK)
        keep_with_plot(request, found, &metrics, arena, context, warnings);
    if (status == STATUS_OK && context->benchmarks.count == 0)
        status = error_set(
            error, STATUS_USAGE, "no benchmark has --x %s%s%s together with a metric of --y %s", request->x,
            request->by == NULL ? "" : " and --by ", request->by == NULL ? "" : request->by, request->y);
    for (size_t i = 0; i < count; i++) {
        text_set_free(&found[i].parameters);
        text_set_free(&found[i].metrics);
        free(found[i].x);
    }
    free(found);
    return status;
}

static enum status check_benchmark(const struct results_context *context, const char *name,
                                   struct error *error)
{
    size_t count = context->benchmarks.count;
    const char **names = memory_zeroed(count, sizeof *names);
    bool found = name == NULL;
    for (size_t i = 0; i < count; i++) {
        names[i] = context->benchmarks.items[i].name;
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

/* The error if there is no panel: no recipe has a plot, or the results lack its data. */
static enum status nothing_to_draw(const struct results_context *context, const struct plot_request *request,
                                   struct error *error)
{
    for (size_t i = 0; i < context->benchmarks.count; i++) {
        const struct benchmark *benchmark = &context->benchmarks.items[i];
        bool wanted = request->benchmark == NULL || strcmp(benchmark->name, request->benchmark) == 0;
        if (wanted && benchmark->plot_count > 0)
            return error_set(error, STATUS_UNAVAILABLE,
                             "nothing to draw in %s, for the reasons in the warnings", request->results);
    }
    error_set(error, STATUS_USAGE, "nothing to draw in %s: none of its recipes has a plot", request->results);
    error_hint(error, "draw a plot of your own with --x NAME --y METRIC, or state plot = { x = ..., y = { "
                      "... } } in the benchmark");
    return STATUS_USAGE;
}

static enum status draw(const struct options *options, const struct plot_request *request,
                        const struct results_context *context, struct results_reader *results,
                        struct error *error)
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
    command_warn_simulated(options, request->results, &results->context.simulated);
    enum status status = check_benchmark(&results->context, request->benchmark, error);
    if (status != STATUS_OK || request->x == NULL)
        return status == STATUS_OK ? draw(options, request, &results->context, results, error) : status;
    struct buffer warnings = {0};
    struct arena arena = {0};
    struct results_context context;
    status = own_plot_context(request, results, &arena, &context, &warnings, error);
    if (status == STATUS_OK) {
        command_warn_lines(options, warnings.data);
        status = draw(options, request, &context, results, error);
    }
    buffer_free(&warnings);
    arena_free(&arena);
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

        "The command draws the figures that a recipe's `plot` describes (docs/reference/recipes.md): "
        "lines, points, bars, traces over time. Each value is the best evidence in the results: measured, "
        "else simulated or inspected, else inferred; predictions are never drawn. A metric that no point "
        "has is left out with a warning. gnuplot is needed.\n"
        "\n"
        "--x and --y draw another figure instead: a metric, or several with commas, one panel each, "
        "against a sweep parameter or another metric. --by draws one line per value of another parameter; "
        "any further parameter that varies also makes lines. Metrics have the names of trauma export, but "
        "counter.NAME is called events.NAME. Values of x in geometric steps get a logarithmic axis.\n",
    .examples = "  trauma plot results.jsonl -o ipc.svg --x miss --y ipc --by dependents\n"
                "  trauma plot results.jsonl -o two.png --x miss --y unit.ns,ipc\n",
    .options = accepted,
    .run = run,
};
