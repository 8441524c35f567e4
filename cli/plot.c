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

struct plot_request {
    const char *results;
    const char *output;
    const char *benchmark; /* NULL: all */
    enum figure_format format;
    bool help;
};

/* ---- the command line ---- */

static enum status refuse_option(const char *option, struct error *error)
{
    static const char *const options[] = {"-o", "--benchmark", "--help", "-h"};
    error_set(error, STATUS_USAGE, "trauma plot has no option %s", option);
    const char *meant = suggest(option, options, sizeof options / sizeof *options);
    if (meant != NULL)
        error_hint(error, "did you mean %s?", meant);
    else
        error_hint(error, "trauma plot --help lists them");
    return STATUS_USAGE;
}

static enum status take_value(int argc, char **argv, int *index, const char **value, struct error *error)
{
    if (*index + 1 >= argc) {
        error_set(error, STATUS_USAGE, "%s needs a value", argv[*index]);
        error_hint(error, "trauma plot RESULTS -o FILE.svg [--benchmark NAME]");
        return STATUS_USAGE;
    }
    *value = argv[++*index];
    return STATUS_OK;
}

static enum status take_argument(struct plot_request *request, const char *argument, struct error *error)
{
    if (argument[0] == '-' && argument[1] != '\0')
        return refuse_option(argument, error);
    if (request->results != NULL) {
        error_set(error, STATUS_USAGE, "trauma plot draws one results file; found %s and %s",
                  request->results, argument);
        error_hint(error, "draw them one by one, each with its own -o");
        return STATUS_USAGE;
    }
    request->results = argument;
    return STATUS_OK;
}

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

static enum status parse_arguments(int argc, char **argv, struct plot_request *request, struct error *error)
{
    enum status status = STATUS_OK;
    for (int i = 1; i < argc && status == STATUS_OK; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
            request->help = true;
            return STATUS_OK;
        }
        if (strcmp(argv[i], "-o") == 0)
            status = take_value(argc, argv, &i, &request->output, error);
        else if (strcmp(argv[i], "--benchmark") == 0)
            status = take_value(argc, argv, &i, &request->benchmark, error);
        else
            status = take_argument(request, argv[i], error);
    }
    return status == STATUS_OK ? check_request(request, error) : status;
}

/* ---- drawing ---- */

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
        const char *meant = names == NULL ? NULL : suggest(name, names, count);
        if (meant != NULL)
            error_hint(error, "did you mean %s?", meant);
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

static void print_warnings(const struct buffer *warnings)
{
    const char *line = warnings->data;
    while (line != NULL && *line != '\0') {
        int length = (int)strcspn(line, "\n");
        fprintf(stderr, "trauma: warning: %.*s\n", length, line);
        line += length + 1;
    }
}

static enum status plot(const struct plot_request *request, const struct results *results,
                        struct error *error)
{
    if (results->cut)
        fprintf(stderr, "trauma: warning: %s: the last line is incomplete and left out\n", request->results);
    enum status status = check_benchmark(results->context, request->benchmark, error);
    if (status != STATUS_OK)
        return status;
    struct figure figure = {0};
    figure_build(&figure, results->context, results->points, request->benchmark);
    print_warnings(&figure.warnings);
    if (figure.panel_count == 0)
        status = error_set(error, STATUS_UNAVAILABLE, "nothing to draw in %s%s", request->results,
                           figure.warnings.size > 0 ? ": the warnings say why" : ": no benchmark is in it");
    else
        status = draw(&figure, request, error);
    figure_free(&figure);
    return status;
}

static int run(int argc, char **argv)
{
    struct plot_request request = {0};
    struct error error = {0};
    enum status status = parse_arguments(argc, argv, &request, &error);
    if (request.help) {
        fputs(command_plot.usage, stdout);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return command_fail(&error);
    struct results results = {0};
    status = results_read(request.results, &results, &error);
    if (status == STATUS_OK)
        status = plot(&request, &results, &error);
    results_free(&results);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_plot = {
    .name = "plot",
    .summary = "draw the figures that recipes ask for from results",
    .usage = "usage: trauma plot RESULTS -o FILE.svg|FILE.png [--benchmark NAME]\n"
             "\n"
             "Draws what the recipes' `plot` fields ask for, one panel for each y, from the file that\n"
             "trauma run wrote. Each value is the best evidence that the results hold: measured, else\n"
             "simulated or inspected, else inferred; what is only predicted is never drawn. A metric that\n"
             "no point has is left out with a warning. Needs gnuplot.\n"
             "\n"
             "  -o FILE            the picture, in the format that its extension names\n"
             "  --benchmark NAME   only this benchmark's figures\n"
             "  -h, --help         this text\n"
             "\n"
             "exit codes: 0 drawn; 1 gnuplot or writing failed; 2 usage, or RESULTS is no results file;\n"
             "4 no gnuplot, or nothing to draw\n",
    .run = run,
};
