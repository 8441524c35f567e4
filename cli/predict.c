/* trauma predict: predicts an application's energy from its counters with a fitted model. */
#include "base/json.h"
#include "cli/command.h"
#include "model/idle/idle_subtract.h"
#include "model/model.h"
#include "report/applications_report.h"
#include "report/figure/model_figure.h"
#include "report/table.h"
#include "runner/results/results.h"
#include "runner/results/simulated.h"
#include "session/predict/application_counters.h"
#include "session/predict/applications.h"
#include "session/predict/counter_replay.h"
#include "session/predict/counter_trace.h"
#include "session/predict/model_settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"set",  "columns", "each", "idle",  "follow",
                                       "time", "figure",  "json", "quiet", NULL};

static enum status read_model(const char *path, json_t **document, const struct model **model,
                              struct error *error)
{
    *document = results_is_one(path) ? NULL : json_read(path, error);
    if (results_is_one(path)) {
        error_set(error, STATUS_USAGE, "%s is a results file; expected a fitted model first", path);
        error_hint(error, "trauma fit MODEL %s -o model.json makes one", path);
    }
    if (*document == NULL)
        return STATUS_USAGE;
    if (strcmp(json_string_or(*document, "kind", ""), "model") != 0 ||
        json_number_or(*document, "schema", 0) != MODEL_SCHEMA) {
        error_set(error, STATUS_USAGE, "%s is not a model of this version", path);
        error_hint(error, "trauma fit MODEL RESULTS -o FILE makes one");
        return STATUS_USAGE;
    }
    return model_find(json_string_or(*document, "model", ""), model, error);
}

/* Prints and frees them. */
static void warn(const struct options *options, struct warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        command_warn(options, "%s; %s", warnings->items[i].what, warnings->items[i].mend);
    warnings_free(warnings);
}

/* The counters of all files after the model. */
static enum status read_counters(const struct options *options, const struct model *model,
                                 const json_t *document, struct model_settings *settings, json_t **counters,
                                 struct error *error)
{
    struct warnings warnings = {0};
    json_t *told = json_object();
    enum status status = STATUS_OK;
    *counters = json_object();
    for (size_t k = 1; status == STATUS_OK && k < options->input_count; k++) {
        const struct application_file file = {
            options->inputs[k], options->columns, model, "", document, told};
        status = application_counters_read(&file, settings, *counters, &warnings, error);
    }
    warn(options, &warnings);
    json_decref(told);
    return status;
}

static void print_parts(const json_t *result)
{
    struct table table = table_of("part|>value|95 % interval|unit");
    const json_t *part;
    size_t i;
    json_array_foreach(json_object_get(result, "disbelief"), i, part)
        command_print("%s\n", json_string_value(part));
    json_array_foreach(json_object_get(result, "parts"), i, part)
    {
        table_cell(&table, "%s", json_string_or(part, "part", ""));
        table_cell(&table, "%.4g", json_number_or(part, "value", 0));
        table_cell(&table, "%.4g to %.4g", json_number_or(part, "low", 0), json_number_or(part, "high", 0));
        table_cell(&table, "%s", json_string_or(part, "unit", ""));
    }
    table_finish(&table, stdout);
    json_array_foreach(json_object_get(result, "notes"), i, part)
        command_print("%s%s\n", i == 0 ? "\n" : "", json_string_value(part));
}

/* --idle: subtracts the application's idle power at its temperature. told receives the notes about it. */
static enum status subtract_idle(const struct options *options, json_t *counters, json_t *told,
                                 struct error *error)
{
    json_t *idle = options->idle == NULL ? NULL : json_read(options->idle, error);
    enum status status = options->idle == NULL ? STATUS_OK
                         : idle == NULL        ? STATUS_USAGE
                                               : idle_subtract_counters(idle, counters, told, error);
    if (status == STATUS_OK && simulated_label(idle) != NULL)
        model_note(told, "--idle: %s: %s", simulated_label(idle), simulated_how(idle));
    json_decref(idle);
    return status;
}

/* One set of counters, for an application as a whole. */
static enum status predict_whole(const struct options *options, const json_t *document,
                                 const struct model *model, struct model_settings *settings, json_t **result,
                                 struct error *error)
{
    json_t *counters = NULL;
    json_t *told = json_object();
    enum status status = read_counters(options, model, document, settings, &counters, error);
    if (status == STATUS_OK)
        status = subtract_idle(options, counters, told, error);
    if (status == STATUS_OK)
        status = model_predict(model, document, counters, settings, result, error);
    if (status == STATUS_OK)
        model_take_notes(*result, told);
    json_decref(told);
    json_decref(counters);
    return status;
}

/* Several applications, side by side. */
static enum status predict_all(const struct options *options, const json_t *document,
                               const struct model *model, struct model_settings *settings, json_t **result,
                               struct error *error)
{
    const struct application_request request = {
        options->inputs + 1, options->input_count - 1, options->columns, options->each, model, document};
    json_t *list = NULL;
    struct warnings warnings = {0};
    enum status status = applications_read(&request, settings, &list, &warnings, error);
    warn(options, &warnings);
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(list); i++)
        status = subtract_idle(options, json_object_get(json_array_get(list, i), "counters"),
                               json_array_get(list, i), error);
    if (status == STATUS_OK)
        status = applications_predict(list, document, model, settings, result, error);
    json_decref(list);
    return status;
}

/* True for several applications: --each, or a table among the files. */
static bool are_several(const struct options *options)
{
    bool several = options->each;
    for (size_t i = 1; i < options->input_count; i++)
        several = several || applications_is(options->inputs[i]);
    return several;
}

static enum status predict(const struct options *options, const json_t *document, const struct model *model,
                           struct model_settings *settings, struct error *error)
{
    bool several = are_several(options);
    json_t *result = NULL;
    enum status status = options->figure == NULL ? STATUS_OK : model_figure_check(options->figure, error);
    if (status == STATUS_OK)
        status = (several ? predict_all : predict_whole)(options, document, model, settings, &result, error);
    if (status == STATUS_OK && options->figure != NULL)
        status = model_figure_draw(result, options->figure, error);
    if (status == STATUS_OK && options->json)
        command_print_json(result, 2);
    else if (status == STATUS_OK && several)
        applications_print(result, stdout);
    else if (status == STATUS_OK)
        print_parts(result);
    json_decref(result);
    return status;
}

/* ---- traces ---- */

static void print_number(double value, const char *format)
{
    if (isfinite(value))
        printf(format, value);
    else
        printf(" %10s", "-");
}

static void show_step(void *context, const struct replay_step *step)
{
    bool *first = context;
    if (*first)
        printf("%10s %10s %10s %10s %10s %10s %10s\n", "t_s", "GHz", "measured W", "predict. W", "E*D GHz",
               "cap GHz", "there W");
    *first = false;
    printf("%10.3f", step->t_s);
    print_number(step->ghz, " %10.3g");
    print_number(step->measured_w, " %10.4g");
    print_number(step->predicted_w, " %10.4g");
    print_number(step->energy_delay_ghz, " %10.3g");
    print_number(step->cap_ghz, " %10.3g");
    print_number(step->there_w, " %10.4g");
    printf("\n");
    fflush(stdout);
}

static void show_step_json(void *context, const struct replay_step *step)
{
    (void)context;
    command_print_json(step->line, 0);
}

static json_t *policy_to_json(const struct replay_policy *policy)
{
    json_t *object = json_pack("{s:I, s:I, s:f, s:I}", "steps", (json_int_t)policy->steps, "above_cap",
                               (json_int_t)policy->above_cap, "mean_w", policy->mean_w, "cap_changes",
                               (json_int_t)policy->cap_changes);
    if (isfinite(policy->steps_to_settle))
        json_object_set_new(object, "steps_to_settle", json_real(policy->steps_to_settle));
    return object;
}

static void print_summary_json(const struct replay_summary *summary)
{
    json_t *line = json_pack("{s:s, s:I, s:f, s:f}", "kind", "summary", "steps", (json_int_t)summary->steps,
                             "cost_s", summary->cost_s, "cost_95_s", summary->cost_95_s);
    if (summary->compared > 0)
        json_object_set_new(line, "power_error", json_real(summary->power_error));
    if (summary->one_step.steps > 0) {
        json_object_set_new(line, "one_step", policy_to_json(&summary->one_step));
        json_object_set_new(line, "simple", policy_to_json(&summary->simple));
    }
    command_print_json(line, 0);
    json_decref(line);
}

static void print_policy(const char *name, const struct replay_policy *policy)
{
    printf("%s: above the cap in %zu of %zu steps, %.4g W on average; ", name, policy->above_cap,
           policy->steps, policy->mean_w);
    if (isfinite(policy->steps_to_settle))
        printf("settles %.3g steps after a change of the cap\n", policy->steps_to_settle);
    else
        printf("not settled at the end\n");
}

static void print_summary(const struct replay_summary *summary)
{
    printf("\n%zu steps; predicting all states took %.3g us (95 %% below %.3g)\n", summary->steps,
           1e6 * summary->cost_s, 1e6 * summary->cost_95_s);
    if (summary->compared > 0)
        printf("chip power at the recorded state: mean error %.2f %% over %zu steps\n",
               100 * summary->power_error, summary->compared);
    if (summary->one_step.steps > 0) {
        print_policy("one step, from the prediction", &summary->one_step);
        print_policy("one state up or down per step", &summary->simple);
    }
}

static enum status replay(const struct options *options, const json_t *document, const struct model *model,
                          const struct model_settings *settings, struct error *error)
{
    bool first = true;
    struct replay_summary summary;
    const struct replay_request request = {.path = options->input_count < 2 ? NULL : options->inputs[1],
                                           .grows = options->follow,
                                           .wait_s = options->time,
                                           .document = document,
                                           .model = model,
                                           .settings = settings,
                                           .step = options->json ? show_step_json : show_step,
                                           .context = &first};
    const json_t *sentence;
    size_t i;
    json_array_foreach(json_object_get(document, "disbelief"), i, sentence)
        command_warn(options, "%s", json_string_value(sentence));
    enum status status = counter_replay(&request, &summary, error);
    if (status == STATUS_OK && options->json)
        print_summary_json(&summary);
    else if (status == STATUS_OK)
        print_summary(&summary);
    return status;
}

static int run(const struct options *options)
{
    const struct model *model = NULL;
    struct model_settings settings;
    json_t *document = NULL;
    struct error error;
    if (options->input_count < (options->follow ? 1 : 2)) {
        error_set(&error, STATUS_USAGE, "trauma predict needs a model and counters");
        error_hint(&error, "trauma predict model.json COUNTERS");
        return command_fail(&error);
    }
    enum status status = read_model(options->inputs[0], &document, &model, &error);
    if (status == STATUS_OK)
        status =
            model_settings_read(options->overrides, options->override_count, model, true, &settings, &error);
    if (status == STATUS_OK && (options->follow || counter_trace_is(options->inputs[1])))
        status = replay(options, document, model, &settings, &error);
    else if (status == STATUS_OK)
        status = predict(options, document, model, &settings, &error);
    json_decref(document);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_predict = {
    .name = "predict",
    .arguments = "model.json COUNTERS... [OPTIONS]",
    .summary = "breaks down an application's energy with a fitted model",
    .details =

        "COUNTERS is a results file of trauma run, a JSON object of numbers, lines NAME,NUMBER, the output "
        "of perf stat -j or -x, ncu, "
        "rocprof or CodeXL, or a table with --columns COLUMN=NAME,... Several files are read as one and must "
        "not contradict each other. A name that is one of the model's settings sets it, so that a file can "
        "describe a what-if; --set overrides it.\n"
        "\n"
        "Each point of a results file is an application, by its repetitions' means. "
        "A table whose first line is application,COUNTER,... has a line for each of several applications; "
        "with --each, files with the same name up to the first dot are one application. The results of all "
        "applications are printed side by side, with the mean.\n"
        "\n"
        "The model ppep also takes a trace: CSV with the columns "
        "t_s,core,ghz,temperature_c,cycles,instructions,... and a line per core and step. The command "
        "replays it, or with --follow predicts it as it grows; it changes no setting of the machine.\n"
        "\n"
        "trauma fit --explain MODEL lists the counters that a model takes.\n",
    .options = accepted,
    .run = run,
};
