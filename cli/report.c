/* trauma report: writes a results file as one HTML page. */
#include "base/file.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "report/figure/figure.h"
#include "report/figure/figure_build.h"
#include "report/figure/figure_draw.h"
#include "report/figure/figure_read.h"
#include "report/page/page_data.h"
#include "runner/results/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accepted[] = {"output", "quiet", NULL};

static enum status check_request(const struct options *options, struct error *error)
{
    if (options->input_count == 1 && options->output != NULL)
        return output_kind_check(options->output, ".html", error);
    if (options->output == NULL)
        error_set(error, STATUS_USAGE, "trauma report needs -o FILE to write");
    else
        error_set(error, STATUS_USAGE, "trauma report takes one results file; found %zu",
                  options->input_count);
    error_hint(error, "trauma report RESULTS.jsonl -o FILE.html");
    return STATUS_USAGE;
}

/* The results' path relative to the page's folder, if they are in it or below. Otherwise none: a page that is
 * passed on must not link out of its folder. */
static void find_link(const char *results, const char *output, struct buffer *link)
{
    char folder[FILE_PATH_BYTES];
    char *from = realpath(file_folder_of(folder, output), NULL);
    char *to = realpath(results, NULL);
    if (from != NULL && to != NULL && file_lies_within(from, to))
        buffer_text(link, to + strlen(from) + (strcmp(from, "/") != 0));
    free(from);
    free(to);
}

/* Collects the data of each point for the page and its figures. */
static enum status read_points(struct results_reader *results, struct page *page, struct figure_points *drawn,
                               struct error *error)
{
    struct text_set names = figure_names(&results->context);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < results->count; i++) {
        struct result_point point;
        status = result_point_load(results, i, NULL, &point, error);
        if (status != STATUS_OK)
            continue;
        page_add_point(page, &point);
        figure_points_add(drawn, &point, &names);
        result_point_free(&point);
    }
    text_set_free(&names);
    return status;
}

static enum status write_page(const char *path, struct page *page, struct file_writer *file,
                              struct error *error)
{
    if (output_is_standard(path)) {
        page_write(page);
        return output_write(path, page->text.data, page->text.size, error);
    }
    enum status status = file_writer_begin(path, false, file, error);
    if (status != STATUS_OK)
        return status;
    page->file = file;
    page_write(page);
    file_writer_put(file, page->text.data, page->text.size);
    return file_writer_end(file, true, error);
}

static enum status write_report(const struct options *options, struct results_reader *results,
                                struct error *error)
{
    char folder[FILE_PATH_BYTES];
    char page_folder[FILE_PATH_BYTES];
    char why[4096];
    struct buffer link = {0};
    struct figure figure = {0};
    struct error no_gnuplot = {0};
    const char *path = options->inputs[0];
    struct file_writer file;
    struct figure_points points = {0};
    find_link(path, options->output, &link);
    struct page page = {.context = &results->context,
                        .results = file_base_name(path),
                        .link = link.data,
                        .folder = file_folder_of(page_folder, options->output),
                        .figure = &figure};
    enum status status = read_points(results, &page, &points, error);
    if (status == STATUS_OK) {
        const struct figure_results drawn = {&results->context, &points, file_folder_of(folder, path)};
        figure_build(&figure, &drawn, NULL);
        command_warn_lines(options, figure.warnings.data);
        if (figure.panel_count > 0 && figure_check_gnuplot(&no_gnuplot) != STATUS_OK) {
            snprintf(why, sizeof why, "%s; %s", no_gnuplot.message, no_gnuplot.hint);
            command_warn(options, "%s", why);
            page.no_pictures = why;
        }
        status = write_page(options->output, &page, &file, error);
    }
    page_free(&page);
    buffer_free(&link);
    figure_free(&figure);
    figure_points_free(&points);
    return status;
}

static int run(const struct options *options)
{
    struct error error = {0};
    struct results_reader results;
    enum status status = check_request(options, &error);
    if (status != STATUS_OK)
        return command_fail(&error);
    status = results_open(options->inputs[0], &results, &error);
    if (status == STATUS_OK) {
        command_warn_cut(options, options->inputs[0], results.cut);
        command_warn_simulated(options, options->inputs[0], &results.context.simulated);
    }
    if (status == STATUS_OK)
        status = write_report(options, &results, &error);
    results_reader_close(&results);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_report = {
    .name = "report",
    .arguments = "RESULTS.jsonl -o FILE.html [OPTIONS]",
    .summary = "writes results as one page: verdict counts, figures, points, details",
    .details =

        "The page needs no other file. If the results are in the page's folder or below, the page links "
        "to the raw data by relative paths, so keep it where it was written. The page begins with the "
        "counts of verdicts and the figures. One row per point follows, then the rates; those that failed "
        "are unfolded. Verdicts are judged again, as by check. The exit code is 0 even if rates missed "
        "their targets. Figures need gnuplot.\n",
    .examples = "  trauma report results.jsonl -o page.html\n",
    .options = accepted,
    .run = run,
};
