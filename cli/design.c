/* trauma design: chooses the points that determine a model's coefficients best in a given time. */
#include "base/buffer.h"
#include "base/json.h"
#include "base/text/plural.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "model/design/design_form.h"
#include "report/table.h"
#include "session/design/design_measurement.h"
#include "session/predict/model_settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"machine",   "time",        "noise", "output", "set", "x",
                                       "intercept", "nonnegative", "json",  "quiet",  NULL};

/* Where the machine file and the options say nothing. */
static const double NOISE_W = 0.1, STATIC_W = 20;

static void print_points(const struct design_outcome *outcome)
{
    struct table table =
        table_of("benchmark|point|>repetitions|>each (s)|>idle before|>idle after|>total (s)");
    for (size_t i = 0; i < outcome->count; i++) {
        const struct design_line *line = &outcome->lines[i];
        table_texts(&table, line->item->benchmark, line->item->point);
        table_cell(&table, "%.0f", line->reps);
        table_cell(&table, "%.4g", line->time_s);
        table_cell(&table, "%.4g", line->idle_before_s);
        table_cell(&table, "%.4g", line->idle_after_s);
        table_cell(&table, "%.4g", line->total_s);
    }
    table_finish(&table, stdout);
}

static void print_coefficients(const struct design_outcome *outcome)
{
    struct table table = table_of("coefficient|>assumed|>half-width|>recipes' own|>ratio|>inflation|unit");
    const char *name;
    json_t *each;
    json_object_foreach(outcome->coefficients, name, each)
    {
        double half = json_number_or(each, "half", NAN);
        double own = json_number_or(json_object_get(outcome->shipped, name), "half", NAN);
        double inflation = json_number_or(outcome->inflation, name, NAN);
        table_cell(&table, "%s", name);
        table_cell(&table, "%.3g", json_number_or(each, "value", NAN));
        table_cell(&table, "%.3g", half);
        table_cell(&table, isfinite(own) ? "%.3g" : "-", own);
        table_cell(&table, isfinite(own) ? "%.2f" : "-", half / own);
        table_cell(&table, isfinite(inflation) ? "%.1f" : "-", inflation);
        table_cell(&table, "%s", json_string_or(each, "unit", ""));
    }
    table_finish(&table, stdout);
}

static void print_outcome(const struct design_request *request, const struct design_outcome *outcome)
{
    char total[32], own[32];
    const json_t *sentence;
    size_t i;
    command_print("%zu of %zu points of %s in %s (the recipes take %s)\n\n", outcome->count, outcome->points,
                  request->model->name, units_format_duration(outcome->total_s, total, sizeof total),
                  units_format_duration(outcome->recipes_s, own, sizeof own));
    print_points(outcome);
    command_print(
        "\nhalf of the 95 %% intervals to expect, and those of the recipes' own points in the same time\n");
    print_coefficients(outcome);
    json_array_foreach(outcome->unknown, i, sentence)
        command_print("%scannot be told apart: %s\n", i == 0 ? "\n" : "", json_string_value(sentence));
    if (outcome->shipped == NULL)
        command_print("\nthe fit of the recipes' own points would be refused: %s\n",
                      outcome->shipped_error.message);
    if (outcome->refused > 0)
        command_print("\n%zu point%s refused: %s\n", outcome->refused,
                      outcome->refused == 1 ? " is" : "s are", outcome->first_refusal.message);
    command_print("\nassumed: a meter whose mean over t seconds has a standard deviation of %.4g W / "
                  "sqrt(t), an idle chip of %.4g W, energies of a typical chip, and rates that follow from "
                  "the machine's latencies, bandwidths and instructions per cycle\n",
                  request->meter.noise_w, request->meter.static_w);
}

static json_t *to_json(const struct design_request *request, const struct design_outcome *outcome)
{
    json_t *points = json_array();
    for (size_t i = 0; i < outcome->count; i++) {
        const struct design_line *line = &outcome->lines[i];
        json_array_append_new(points,
                              json_pack("{s:s, s:s, s:s, s:O?, s:f, s:f, s:f, s:f, s:f}", "recipe",
                                        line->item->recipe, "benchmark", line->item->benchmark, "name",
                                        line->item->point, "point", line->parameters, "reps", line->reps,
                                        "time_s", line->time_s, "idle_before_s", line->idle_before_s,
                                        "idle_after_s", line->idle_after_s, "total_s", line->total_s));
    }
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:o, s:O, s:O?, s:O, s:O}", "model",
                     request->model->name, "total_s", outcome->total_s, "recipes_s", outcome->recipes_s,
                     "noise_w", request->meter.noise_w, "static_w", request->meter.static_w, "efficiency",
                     outcome->efficiency, "candidates", (json_int_t)outcome->points, "refused",
                     (json_int_t)outcome->refused, "points", points, "coefficients", outcome->coefficients,
                     "recipes_coefficients", outcome->shipped, "inflation", outcome->inflation, "unknown",
                     outcome->unknown);
}

static enum status write_recipe(const struct options *options, const struct design_request *request,
                                const struct design_outcome *outcome, struct error *error)
{
    struct buffer text = {0};
    char how[256];
    snprintf(how, sizeof how, "Written by trauma design %s%s%.80s --time %.10g --noise %.10g.",
             request->model->name, options->machine == NULL ? "" : " -m ",
             options->machine == NULL ? "" : options->machine, outcome->total_s, request->meter.noise_w);
    enum status status = design_recipe(outcome, how, &text, error);
    if (status == STATUS_OK)
        status = output_write(options->output, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

static enum status read_noise(const struct options *options, double *noise_w, struct error *error)
{
    *noise_w = NOISE_W;
    if (options->noise == NULL || (units_parse_number(options->noise, noise_w) && *noise_w > 0))
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, "--noise: expected watts above 0, found '%s'", options->noise);
}

static enum status check_arguments(const struct options *options, const struct model **model,
                                   struct model_settings *settings, struct error *error)
{
    if (options->input_count == 0) {
        error_set(error, STATUS_USAGE, "trauma design needs a model");
        error_hint(error, "trauma design MODEL -m MACHINE; trauma fit --help lists the models");
        return STATUS_USAGE;
    }
    enum status status = output_kind_check(options->output, ".lua", error);
    if (status == STATUS_OK)
        status = model_find(options->inputs[0], model, error);
    if (status == STATUS_OK && (*model)->design == NULL)
        status = error_set(error, STATUS_USAGE, "no points are known that determine %s", (*model)->name);
    if (status == STATUS_OK)
        status =
            model_settings_read(options->overrides, options->override_count, *model, false, settings, error);
    bool named = options->x != NULL || options->intercept || options->nonnegative;
    if (status == STATUS_OK && (*model == &model_linear) != named) {
        error_set(error, STATUS_USAGE, "%s",
                  named ? "--x, --intercept and --nonnegative belong to the model linear"
                        : "the model linear has no regressors");
        error_hint(error, "trauma design linear -m MACHINE --x METRIC,...");
        status = STATUS_USAGE;
    }
    settings->x = options->x;
    settings->intercept = options->intercept;
    settings->non_negative = options->nonnegative;
    return status;
}

/* The recipes after MODEL, else those that ship for it. */
static void choose_recipes(const struct options *options, const struct model *model,
                           struct selection *selection)
{
    selection->overrides = (struct override_list){0};
    if (options->input_count > 1) {
        selection->inputs = options->inputs + 1;
        selection->input_count = options->input_count - 1;
        return;
    }
    selection->inputs = model->design->recipes;
    for (selection->input_count = 0; model->design->recipes[selection->input_count] != NULL;)
        selection->input_count++;
}

static int run(const struct options *options)
{
    struct requests requests;
    struct work work = {0};
    struct model_settings settings;
    struct design_outcome outcome = {0};
    struct error error;
    struct design_request request = {.settings = &settings, .work = &work, .total_s = options->time};
    enum status status = check_arguments(options, &request.model, &settings, &error);
    if (status == STATUS_OK)
        status = read_noise(options, &request.meter.noise_w, &error);
    if (status != STATUS_OK)
        return command_fail(&error);
    requests_fill(options, WORK_GPU_LISTED, &requests);
    choose_recipes(options, request.model, &requests.selection);
    status = work_open(&requests.selection, &requests.target, &work, &error);
    if (status == STATUS_OK && work.item_count > 0) {
        double idle_w = work_machine(work.items[0].source)->idle_w;
        request.meter.static_w = idle_w > 0 ? idle_w : STATIC_W;
        status = design_measurement(&request, &outcome, &error);
    }
    if (status == STATUS_OK && options->output != NULL)
        status = write_recipe(options, &request, &outcome, &error);
    if (status == STATUS_OK && options->json) {
        json_t *document = to_json(&request, &outcome);
        command_print_json(document, 2);
        json_decref(document);
    } else if (status == STATUS_OK && !output_is_standard(options->output)) {
        print_outcome(&request, &outcome);
    }
    const json_t *sentence;
    size_t i;
    json_array_foreach(outcome.unknown, i, sentence)
    {
        if (status != STATUS_OK)
            command_warn(options, "cannot be told apart: %s", json_string_value(sentence));
    }
    design_outcome_free(&outcome);
    work_close(&work);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_design = {
    .name = "design",
    .arguments = "MODEL [RECIPE...] [-m MACHINE] [--time T] [--noise W] [-o RECIPE.lua]",
    .summary = "chooses the points that determine a model best in a given time",
    .details =

        "Of the recipes that ship for the model, or of those given, the command plans every point for the "
        "machine, runs nothing, and chooses points and times so that the coefficients' joint interval is "
        "smallest (D-optimal). It prints the points with repetitions and times, the half-widths that the fit "
        "will report, those of the recipes' own points in the same time, and what no point tells apart. -o "
        "writes a recipe of these points for run, gen and check. --set sets the model's settings.\n"
        "\n"
        "Rates are the plan's; times of a pass follow from the machine file's latencies, bandwidths and "
        "instructions per cycle. A point's power is that of a typical chip, with the idle power of the "
        "machine file (20 W where it has none). The half-widths are the medians of fits of simulated "
        "readings.\n",
    .examples = "  trauma design ppep -m fx-8320 --time 3600 --noise 0.2\n"
                "  trauma design access-energy -m a100 -o short.lua  # then trauma run short.lua\n",
    .options = accepted,
    .run = run,
};
