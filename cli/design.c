/* trauma design: chooses the points that determine a model's coefficients best in a given time. */
#include "base/buffer.h"
#include "base/text/plural.h"
#include "base/text/visible.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "model/design/design_form.h"
#include "model/model_json.h"
#include "report/table.h"
#include "session/design/design_measurement.h"
#include "session/predict/model_settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"machine",   "time",        "noise", "output", "set", "x",
                                       "intercept", "nonnegative", "json",  "quiet",  NULL};

/* Defaults: of the meter's noise, and of the idle power if the machine file states none. */
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
    for (size_t i = 0; i < outcome->coefficients.count; i++) {
        const struct expected_coefficient *each = &outcome->coefficients.items[i];
        const struct expected_coefficient *shipped = expected_find(&outcome->shipped, each->name);
        double own = shipped == NULL ? NAN : shipped->half;
        double inflation = named_number_value(&outcome->inflation, each->name);
        table_cell(&table, "%s", each->name);
        table_cell(&table, "%.3g", each->value);
        table_cell(&table, "%.3g", each->half);
        table_cell(&table, isfinite(own) ? "%.3g" : "-", own);
        table_cell(&table, isfinite(own) ? "%.2f" : "-", each->half / own);
        table_cell(&table, isfinite(inflation) ? "%.1f" : "-", inflation);
        table_cell(&table, "%s", each->unit);
    }
    table_finish(&table, stdout);
}

static void print_outcome(const struct design_request *request, const struct design_outcome *outcome)
{
    char total[32], own[32];
    command_print("%zu of %zu points of %s in %s (the recipes take %s)\n\n", outcome->count, outcome->points,
                  request->model->name, units_format_duration(outcome->total_s, total, sizeof total),
                  units_format_duration(outcome->recipes_s, own, sizeof own));
    print_points(outcome);
    command_print(
        "\nhalf of the 95 %% intervals to expect, and those of the recipes' own points in the same time\n");
    print_coefficients(outcome);
    for (size_t i = 0; i < outcome->unknown.count; i++)
        command_print("%scannot be told apart: %s\n", i == 0 ? "\n" : "", outcome->unknown.items[i]);
    if (outcome->shipped.count == 0)
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

static void write_coefficients(struct json_text *text, const char *name,
                               const struct expected_coefficients *coefficients)
{
    json_text_open(text, name, '{');
    for (size_t i = 0; i < coefficients->count; i++) {
        const struct expected_coefficient *each = &coefficients->items[i];
        json_text_open(text, each->name, '{');
        json_text_real(text, "value", each->value);
        json_text_real(text, "half", each->half);
        json_text_string(text, "unit", each->unit);
        json_text_close(text, '}');
    }
    json_text_close(text, '}');
}

static void write_line(struct json_text *text, const struct design_line *line)
{
    json_text_open(text, NULL, '{');
    json_text_string(text, "recipe", line->item->recipe);
    json_text_string(text, "benchmark", line->item->benchmark);
    json_text_string(text, "name", line->item->point);
    json_text_any(text, "point", &line->point->parameters);
    json_text_real(text, "reps", line->reps);
    json_text_real(text, "time_s", line->time_s);
    json_text_real(text, "idle_before_s", line->idle_before_s);
    json_text_real(text, "idle_after_s", line->idle_after_s);
    json_text_real(text, "total_s", line->total_s);
    json_text_close(text, '}');
}

static void print_json(const struct design_request *request, const struct design_outcome *outcome)
{
    struct buffer shown = {0};
    struct json_text text = {.buffer = &shown};
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "model", request->model->name);
    json_text_real(&text, "total_s", outcome->total_s);
    json_text_real(&text, "recipes_s", outcome->recipes_s);
    json_text_real(&text, "noise_w", request->meter.noise_w);
    json_text_real(&text, "static_w", request->meter.static_w);
    json_text_real(&text, "efficiency", outcome->efficiency);
    json_text_integer(&text, "candidates", (long long)outcome->points);
    json_text_integer(&text, "refused", (long long)outcome->refused);
    json_text_open(&text, "points", '[');
    for (size_t i = 0; i < outcome->count; i++)
        write_line(&text, &outcome->lines[i]);
    json_text_close(&text, ']');
    write_coefficients(&text, "coefficients", &outcome->coefficients);
    if (outcome->shipped.count > 0)
        write_coefficients(&text, "recipes_coefficients", &outcome->shipped);
    named_numbers_write(&text, "inflation", &outcome->inflation);
    json_text_open(&text, "unknown", '[');
    for (size_t i = 0; i < outcome->unknown.count; i++)
        json_text_string(&text, NULL, outcome->unknown.items[i]);
    json_text_close(&text, ']');
    json_text_close(&text, '}');
    command_print_json_lines(&shown);
}

static enum status write_recipe(const struct options *options, const struct design_request *request,
                                const struct design_outcome *outcome, struct error *error)
{
    struct buffer text = {0}, how = {0}, line = {0};
    buffer_printf(&how, "Written by trauma design %s", request->model->name);
    for (size_t i = 1; i < options->input_count; i++)
        buffer_printf(&how, " %s", options->inputs[i]);
    if (options->machine != NULL)
        buffer_printf(&how, " -m %s", options->machine);
    buffer_printf(&how, " --time %.10g --noise %.10g", outcome->total_s, request->meter.noise_w);
    for (size_t i = 0; i < options->override_count; i++)
        buffer_printf(&how, " --set %s=%s", options->overrides[i].name, options->overrides[i].values);
    if (options->x != NULL)
        buffer_printf(&how, " --x %s", options->x);
    buffer_printf(&how, "%s%s.", options->intercept ? " --intercept" : "",
                  options->nonnegative ? " --nonnegative" : "");
    visible_append(&line, how.data); /* one line, whatever the names */
    enum status status = design_recipe(outcome, line.data, &text, error);
    buffer_free(&line);
    buffer_free(&how);
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
        status =
            error_set(error, STATUS_USAGE, "no recipe is known whose points determine %s", (*model)->name);
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
    if (status == STATUS_OK && options->json)
        print_json(&request, &outcome);
    else if (status == STATUS_OK && !output_is_standard(options->output))
        print_outcome(&request, &outcome);
    for (size_t i = 0; status != STATUS_OK && i < outcome.unknown.count; i++)
        command_warn(options, "cannot be told apart: %s", outcome.unknown.items[i]);
    design_outcome_free(&outcome);
    work_close(&work);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_design = {
    .name = "design",
    .arguments = "MODEL [RECIPE...] [-m MACHINE] [--time T] [--noise W] [-o RECIPE.lua]",
    .summary = "chooses the points that determine a model best in a given time",
    .details =

        "The command plans every point of the model's shipped recipes, or of the given ones, for the "
        "machine. It runs none of them. It chooses points and times so that the joint confidence region "
        "of the coefficients is smallest (D-optimal). It prints these points with their repetitions and "
        "times, the half-widths of the intervals that the fit will report, the half-widths that the "
        "recipes' own points would give in the same time, and the coefficients that no point can "
        "distinguish. -o writes a recipe of these points for run, gen and check. --set sets the model's "
        "settings.\n"
        "\n"
        "The rates are the plan's. The time of a pass follows from the latencies, bandwidths and "
        "instructions per cycle in the machine file. The power of a point is that of a typical chip, with "
        "the idle power in the machine file (20 W without one). The half-widths are medians over fits of "
        "simulated readings.\n",
    .examples = "  trauma design ppep -m fx-8320 --time 3600 --noise 0.2\n"
                "  trauma design access-energy -m a100 -o short.lua  # then trauma run short.lua\n",
    .options = accepted,
    .run = run,
};
