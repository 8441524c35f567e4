/* trauma plot: the figures that recipes ask for, drawn from results by gnuplot. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/figure.h"
#include "cli/figure_script.h"
#include "runner/child.h"
#include "runner/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const accepted[] = {"output", "benchmark", "quiet", NULL};

struct plot_request {
    const char *results;
    const char *output;
    const char *benchmark; /* NULL: all */
    enum figure_format format;
};

static enum status check_request(struct plot_request *request, struct error *error)
{
    if (request->results == NULL || request->output == NULL) {
        error_set(error, STATUS_USAGE, "%s",
                  request->results == NULL ? "trauma plot needs a results file"
                                           : "trauma plot needs -o: the file to draw into");
        error_hint(error, "trauma plot RESULTS -o FILE.svg");
        return STATUS_USAGE;
    }
    const char *extension = strrchr(file_base_name(request->output), '.');
    if (extension != NULL && strcasecmp(extension, ".svg") == 0) {
        request->format = FIGURE_SVG;
    } else if (extension != NULL && strcasecmp(extension, ".png") == 0) {
        request->format = FIGURE_PNG;
    } else {
        error_set(error, STATUS_USAGE, "cannot tell the picture's format from the name %s", request->output);
        error_hint(error, "end it in .svg or .png");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static enum status check_benchmark(const json_t *context, const char *name, struct error *error)
{
    const json_t *benchmarks = json_object_get(context, "benchmarks");
    size_t count = json_array_size(benchmarks);
    const char **names = calloc(count + 1, sizeof *names);
    bool found = name == NULL;
    for (size_t i = 0; names != NULL && i < count; i++) {
        names[i] = json_string_or(json_array_get(benchmarks, i), "name", "");
        found = found || strcmp(names[i], name) == 0;
    }
    enum status status = STATUS_OK;
    if (!found) {
        status = error_set(error, STATUS_USAGE, "the results have no benchmark %s", name);
        if (names != NULL)
            suggest_hint(error, name, names, count, "without --benchmark all are drawn");
    }
    free(names);
    return status;
}

/* gnuplot works in a folder of its own, so that the picture appears under its name whole or not at all, and
 * that name never stands in a script. */
static enum status make_work_folder(char folder[FILE_PATH_BYTES], struct error *error)
{
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] != '/') /* gnuplot takes "|..." for a pipe: only a full path will do */
        base = "/tmp";
    file_join(folder, base, "trauma-plot-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        error_set(error, STATUS_FAILED, "cannot make a folder for gnuplot's files under %s", base);
        error_hint(error, "set TMPDIR to a folder that can be written");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

static enum status run_gnuplot(char *script_path, struct error *error)
{
    char program[] = "gnuplot";
    char without_users_settings[] = "-d";
    char *arguments[] = {program, without_users_settings, script_path, NULL};
    struct child_request request = {.path = "gnuplot", .arguments = arguments, .cpu = -1};
    struct child_result result = {0};
    enum status status = child_run(&request, &result, error);
    if (status != STATUS_OK)
        error_prefix(error, "gnuplot could not draw the figure");
    child_result_free(&result);
    return status;
}

static enum status draw_in(const char *folder, const struct figure *figure,
                           const struct plot_request *request, struct error *error)
{
    char script_path[FILE_PATH_BYTES];
    char picture_path[FILE_PATH_BYTES];
    file_join(script_path, folder, "figure.gp");
    file_join(picture_path, folder, "figure");
    struct buffer script = {0};
    struct buffer picture = {0};
    figure_script(figure, request->format, picture_path, &script);
    enum status status = file_write(script_path, script.data, script.size, false, error);
    if (status == STATUS_OK)
        status = run_gnuplot(script_path, error);
    if (status == STATUS_OK)
        status = file_read(picture_path, &picture, error);
    if (status == STATUS_OK && picture.size == 0)
        status = error_set(error, STATUS_FAILED, "gnuplot drew an empty picture");
    if (status == STATUS_OK)
        status = file_write(request->output, picture.data, picture.size, false, error);
    buffer_free(&script);
    buffer_free(&picture);
    return status;
}

static enum status draw(const struct figure *figure, const struct plot_request *request, struct error *error)
{
    if (!child_program_exists("gnuplot")) {
        error_set(error, STATUS_UNAVAILABLE, "gnuplot, which draws the figures, is not on this machine");
        error_hint(error, "sudo apt-get install gnuplot-nox");
        return STATUS_UNAVAILABLE;
    }
    char folder[FILE_PATH_BYTES];
    enum status status = make_work_folder(folder, error);
    if (status != STATUS_OK)
        return status;
    status = draw_in(folder, figure, request, error);
    file_remove_tree(folder, NULL);
    return status;
}

static void print_warnings(const struct options *options, const struct buffer *warnings)
{
    const char *line = warnings->data;
    while (line != NULL && *line != '\0') {
        int length = (int)strcspn(line, "\n");
        command_warn(options, "%.*s", length, line);
        line += length + 1;
    }
}

/* No panel: nobody asked for one, or the results lack what was asked for. */
static enum status nothing_to_draw(const json_t *context, const struct plot_request *request,
                                   struct error *error)
{
    const json_t *benchmarks = json_object_get(context, "benchmarks");
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        bool wanted = request->benchmark == NULL ||
                      strcmp(json_string_or(benchmark, "name", ""), request->benchmark) == 0;
        if (wanted && json_array_size(json_object_get(benchmark, "plot")) > 0)
            return error_set(error, STATUS_UNAVAILABLE, "nothing to draw in %s: the warnings say why",
                             request->results);
    }
    error_set(error, STATUS_USAGE, "nothing to draw in %s: no recipe of it asks for a plot",
              request->results);
    error_hint(error, "plot = { x = ..., y = { ... } } in a benchmark asks for one");
    return STATUS_USAGE;
}

static enum status plot(const struct options *options, const struct plot_request *request,
                        const struct results *results, struct error *error)
{
    if (results->cut)
        command_warn(options, "%s: the last line is incomplete and left out", request->results);
    enum status status = check_benchmark(results->context, request->benchmark, error);
    if (status != STATUS_OK)
        return status;
    struct figure figure = {0};
    figure_build(&figure, results->context, results->points, request->benchmark);
    print_warnings(options, &figure.warnings);
    if (figure.panel_count > 0)
        status = draw(&figure, request, error);
    else
        status = nothing_to_draw(results->context, request, error);
    figure_free(&figure);
    return status;
}

static int run(const struct options *options)
{
    struct plot_request request = {
        .results = options->inputs[0], .output = options->output, .benchmark = options->benchmark};
    struct error error = {0};
    enum status status = STATUS_OK;
    if (options->input_count > 1) {
        status = error_set(&error, STATUS_USAGE, "trauma plot draws one results file; found %s and %s",
                           options->inputs[0], options->inputs[1]);
        error_hint(&error, "draw them one by one, each with its own -o");
    }
    if (status == STATUS_OK)
        status = check_request(&request, &error);
    if (status != STATUS_OK)
        return command_fail(&error);
    struct results results = {0};
    status = results_read(request.results, &results, &error);
    if (status == STATUS_OK)
        status = plot(options, &request, &results, &error);
    results_free(&results);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_plot = {
    .name = "plot",
    .arguments = "RESULTS.jsonl -o FILE.svg|FILE.png [OPTIONS]",
    .summary = "draws the figures that recipes ask for from results",
    .details =
        "One panel for each y of a recipe's `plot`. Each value is the best evidence that the results hold:\n"
        "measured, else simulated or inspected, else inferred; what is only predicted is never drawn. A "
        "metric\n"
        "that no point has is left out with a warning. Needs gnuplot.\n",
    .options = accepted,
    .run = run,
};
