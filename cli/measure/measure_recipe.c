#include "cli/measure/measure_recipe.h"

#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "cli/options/results_home.h"
#include "cli/plot.h"
#include "report/figure/figure_draw.h"
#include "runner/evidence/evidence.h"
#include "runner/results/results.h"
#include "session/execute/run_points.h"

#include <stdint.h>

/* ---- the run ---- */

static enum status check_options(const struct options *options, const struct measure_recipe *question,
                                 struct error *error)
{
    enum figure_format format;
    if (options->input_count > 0) {
        error_set(error, STATUS_USAGE, "trauma %s takes no argument '%s'", question->command,
                  options->inputs[0]);
        error_hint(error, "--filter %s selects points whose name has it; trauma %s --help lists all options",
                   options->inputs[0], question->command);
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

static enum status run(const struct options *options, bool shares, const char *path, json_t *points,
                       struct run_outcome *outcome, struct error *error)
{
    struct requests requests;
    requests_fill(options, WORK_GPU_NEEDED, &requests);
    requests.target.probe_shares = shares;
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
        status = results_home_open(given->output, &home, &error);
    if (status == STATUS_OK)
        status = run(&options, question->shares, home.path, points, &outcome, &error);
    points = results_in_order(points);
    if (outcome.done > 0)
        print(given, question, points);
    if (status == STATUS_OK && given->figure != NULL)
        status = plot_results(given, home.path, given->figure, &error);
    results_home_close(&home);
    json_decref(points);
    if (status != STATUS_OK)
        return command_fail(&error);
    enum status judged = tally_status(&outcome.tally, false);
    return judged == STATUS_OK && outcome.tally.skipped > 0 ? STATUS_UNAVAILABLE : (int)judged;
}
