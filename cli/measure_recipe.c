#include "cli/measure_recipe.h"

#include "base/file.h"
#include "cli/output_kind.h"
#include "cli/plot.h"
#include "cli/requests.h"
#include "report/figure/figure_draw.h"
#include "runner/results/evidence.h"
#include "session/execute/run_points.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where the results are ---- */

/* The file of -o or, without it, one in a folder of its own that goes at the end. */
struct results_home {
    char folder[FILE_PATH_BYTES]; /* "": none */
    char path[FILE_PATH_BYTES];
};

static enum status open_home(const char *output, struct results_home *home, struct error *error)
{
    const char *temporary = getenv("TMPDIR");
    home->folder[0] = '\0';
    snprintf(home->path, sizeof home->path, "%s", output == NULL ? "" : output);
    if (output != NULL)
        return STATUS_OK;
    file_join(home->folder, temporary == NULL || temporary[0] == '\0' ? "/tmp" : temporary, "trauma-XXXXXX");
    if (mkdtemp(home->folder) == NULL) {
        error_set(error, STATUS_FAILED, "cannot make the folder %s: %s", home->folder, strerror(errno));
        error_hint(error, "name a file for the results with -o, or another folder in TMPDIR");
        home->folder[0] = '\0';
        return STATUS_FAILED;
    }
    file_join(home->path, home->folder, "results.jsonl");
    return STATUS_OK;
}

static void close_home(const struct results_home *home)
{
    struct error unused; /* what is left is small, and no result */
    if (home->folder[0] != '\0')
        (void)file_remove_tree(home->folder, &unused);
}

/* ---- the run ---- */

static enum status check_options(const struct options *options, const struct measure_recipe *question,
                                 struct error *error)
{
    enum figure_format format;
    if (options->input_count > 0) {
        error_set(error, STATUS_USAGE, "trauma %s takes no argument '%s'", question->command,
                  options->inputs[0]);
        error_hint(error, "trauma %s --help lists its options", question->command);
        return STATUS_USAGE;
    }
    if (!evidence_check_names(options->counters, error))
        return error->code;
    enum status status = output_kind_check(options->output, ".jsonl", error);
    if (status == STATUS_OK && options->figure != NULL)
        status = figure_format_of(options->figure, &format, error);
    return status == STATUS_OK && options->figure != NULL ? figure_check_gnuplot(error) : status;
}

static void add_point(void *context, const json_t *point)
{
    json_array_append(context, (json_t *)(uintptr_t)point);
}

/* The command line with the question's recipe and settings, which the user's own follow. */
static enum status complete(const struct options *given, const struct measure_recipe *question,
                            struct options *options, struct error *error)
{
    size_t own = question->override_count;
    *options = *given;
    if (own + given->override_count > OPTIONS_MOST)
        return error_set(error, STATUS_USAGE, "--set is given more than %zu times", OPTIONS_MOST - own);
    for (size_t i = 0; i < own; i++)
        options->overrides[i] = question->overrides[i];
    for (size_t i = 0; i < given->override_count; i++)
        options->overrides[own + i] = given->overrides[i];
    options->override_count = own + given->override_count;
    options->inputs[0] = question->recipe;
    options->input_count = 1;
    options->time = given->time > 0 ? given->time : question->time_s;
    options->reps = given->reps > 0 ? given->reps : question->reps;
    options->counters = given->counters != NULL ? given->counters : question->counters;
    options->power = given->power != NULL ? given->power : question->power;
    return STATUS_OK;
}

static enum status run(const struct options *options, const char *path, json_t *points,
                       struct run_outcome *outcome, struct error *error)
{
    struct requests requests;
    requests_fill(options, WORK_GPU_NEEDED, &requests);
    const struct run_request request = {.evidence = requests.evidence,
                                        .path = path,
                                        .power = options->power,
                                        .time_s = options->time,
                                        .reps = options->reps,
                                        .resume = options->resume,
                                        .temporary = options->output == NULL,
                                        .recorded = add_point,
                                        .context = points};
    return run_points(&request, &requests.selection, &requests.target, outcome, error);
}

static void print(const struct options *options, const struct measure_recipe *question, const json_t *points)
{
    if (!options->json) {
        question->print(points);
        return;
    }
    for (size_t i = 0; i < json_array_size(points); i++)
        command_print_json(json_array_get(points, i), 0);
}

int measure_recipe(const struct options *given, const struct measure_recipe *question)
{
    struct options options;
    struct error error;
    struct results_home home = {0};
    struct run_outcome outcome = {0};
    json_t *points = json_array();
    enum status status = check_options(given, question, &error);
    if (status == STATUS_OK)
        status = complete(given, question, &options, &error);
    if (status == STATUS_OK)
        status = open_home(given->output, &home, &error);
    if (status == STATUS_OK)
        status = run(&options, home.path, points, &outcome, &error);
    if (outcome.done > 0)
        print(given, question, points);
    if (status == STATUS_OK && given->figure != NULL)
        status = plot_results(given, home.path, given->figure, &error);
    close_home(&home);
    json_decref(points);
    if (status != STATUS_OK)
        return command_fail(&error);
    enum status judged = tally_status(&outcome.tally, false);
    return judged == STATUS_OK && outcome.tally.skipped > 0 ? STATUS_UNAVAILABLE : (int)judged;
}
