/* trauma events: which events of this processor count what they say. */
#include "base/file.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "report/event_report.h"
#include "report/figure/figure_draw.h"
#include "session/event_trials.h"

#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"all",        "suite",   "counts",  "claims", "output", "figure",
                                       "json",       "machine", "filter",  "reps",   "seed",   "here",
                                       "sysfs-root", "quiet",   "verbose", NULL};
static const char PAGE[] = ".html";
static const char SUITE[] = "events";

static enum status check_options(const struct options *options, enum figure_format *format,
                                 struct error *error)
{
    if ((options->suite == NULL) != (options->counts == NULL)) {
        error_set(error, STATUS_USAGE,
                  "--suite and --counts belong together: the programs, and their counts");
        error_hint(error,
                   "`trauma gen events -m MACHINE -o DIR` writes the suite and DIR/events.sh, which counts");
        return STATUS_USAGE;
    }
    if (options->counts != NULL && options->all)
        return error_set(error, STATUS_USAGE, "--all counts here; --counts has what was counted elsewhere");
    bool draws =
        options->figure != NULL || (options->output != NULL && file_ends_with(options->output, PAGE));
    enum status status = STATUS_OK;
    if (options->figure != NULL)
        status = figure_format_of(options->figure, format, error);
    return status == STATUS_OK && draws ? figure_check_gnuplot(error) : status;
}

static enum status draw(const struct options *options, const struct trial_set *set, enum figure_format format,
                        struct error *error)
{
    struct figure figure = {0};
    event_report_figure(set, &figure);
    enum status status = figure.panel_count > 0 ? figure_draw(&figure, format, options->figure, error)
                                                : error_set(error, STATUS_UNAVAILABLE,
                                                            "no event was counted: there is nothing to draw");
    figure_free(&figure);
    return status;
}

static enum status write_page(const struct trial_set *set, struct buffer *text, struct error *error)
{
    struct figure figure = {0};
    struct buffer picture = {0};
    event_report_figure(set, &figure);
    enum status status =
        figure.panel_count == 0 ? STATUS_OK : figure_pictures(&figure, 1, FIGURE_SVG, &picture, error);
    if (status == STATUS_OK)
        event_report_page(set, picture.data, text);
    buffer_free(&picture);
    figure_free(&figure);
    return status;
}

/* A page, or a corrected file of events. */
static enum status write_output(const struct options *options, const struct event_trials *trials,
                                struct error *error)
{
    struct buffer text = {0};
    enum status status = file_ends_with(options->output, PAGE) ? write_page(&trials->set, &text, error)
                                                               : event_trials_correct(trials, &text, error);
    if (status == STATUS_OK)
        status = output_write(options->output, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

static void print(const struct options *options, const struct trial_set *set)
{
    if (!options->json && !output_is_standard(options->output))
        event_report_print(set, stdout);
    for (size_t i = 0; i < set->count && options->json; i++) {
        struct buffer line = {0};
        event_report_line(set, &set->items[i], &line);
        command_print("%s\n", line.data);
        buffer_free(&line);
    }
}

/* Of a whole table tried here: `check` judges by it from now on. */
static enum status keep(const struct options *options, const struct event_trials *trials, struct error *error)
{
    char path[FILE_PATH_BYTES];
    if (!trials->here || options->input_count > 0 || options->claims != NULL || options->filter != NULL)
        return STATUS_OK;
    enum status status = event_trials_keep(trials, path, error);
    if (status == STATUS_OK && path[0] != '\0' && !options->quiet)
        command_tell("trauma: kept in %s, by which the source perf corrects its events", path);
    return status;
}

static int run(const struct options *options)
{
    struct requests requests;
    struct event_trials trials = {0};
    struct error error = {0};
    enum figure_format format = FIGURE_SVG;
    const char *suite = options->suite != NULL ? options->suite : SUITE;
    requests_fill(options, WORK_GPU_NEEDED, &requests);
    requests.selection.inputs = &suite;
    requests.selection.input_count = 1;
    const struct event_trial_request request = {.events = options->inputs,
                                                .event_count = options->input_count,
                                                .all = options->all,
                                                .counts = options->counts,
                                                .claims = options->claims,
                                                .root = requests_root(options),
                                                .reps = (size_t)options->reps};
    enum status status = check_options(options, &format, &error);
    if (status == STATUS_OK)
        status = event_trials_make(&request, &requests.selection, &requests.target, &trials, &error);
    if (status == STATUS_OK)
        print(options, &trials.set);
    if (status == STATUS_OK && options->output != NULL)
        status = write_output(options, &trials, &error);
    if (status == STATUS_OK && options->figure != NULL)
        status = draw(options, &trials.set, format, &error);
    if (status == STATUS_OK)
        status = keep(options, &trials, &error);
    bool contradicted = trial_set_contradicts(&trials.set);
    event_trials_free(&trials);
    if (status != STATUS_OK)
        return command_fail(&error);
    return contradicted ? STATUS_MISSED : STATUS_OK;
}

const struct command command_events = {
    .name = "events",
    .arguments = "[EVENT...] [--all | --suite DIR --counts FILE] [--claims FILE] [-o FILE] [OPTIONS]",
    .summary = "puts performance events on trial with programs whose counts are known",
    .details = "Each event counts programs whose quantities per pass are known: instructions, loads, misses "
               "of each level, "
               "branches and so on. The smallest sum of these that explains the counts within their error is "
               "what the event "
               "counts. EVENT is a name of `trauma sensors --events`, of libpfm4, or r and a raw code; "
               "without one, all of this "
               "processor's file. With --suite and --counts, counts made elsewhere are judged.\n"
               "\n"
               "Verdicts are exact (what is claimed, once each), scaled (times a factor), other (another "
               "quantity), mixture "
               "(several), noisy (no sum explains it), dead (it does not move) and unavailable. -o FILE.html "
               "writes a page, -o "
               "with another name a corrected file of events. A trial of all events of this processor is "
               "kept for the source "
               "perf. The exit code is 5 if a claim is contradicted.\n",
    .examples = "  trauma events l1d_misses r0143\n"
                "  trauma events --suite suite --counts counts.csv -o trial.html\n",
    .options = accepted,
    .run = run,
};
