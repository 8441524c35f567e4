/* trauma predict: predicts an application's energy from its counters with a fitted model. */
#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "model/idle/idle_subtract.h"
#include "model/model_json.h"
#include "report/applications_report.h"
#include "report/figure/model_figure.h"
#include "report/table.h"
#include "runner/results/simulated.h"
#include "session/predict/application_counters.h"
#include "session/predict/applications.h"
#include "session/predict/counter_replay.h"
#include "session/predict/counter_trace.h"
#include "session/predict/model_settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"set",    "columns", "each",        "idle",       "follow", "time",
                                       "figure", "json",    "allow-state", "sysfs-root", "quiet",  NULL};

/* The model, and what is predicted from. */
struct predicting {
    struct model_file file;
    struct model_settings settings;
    struct named_numbers given; /* of the chip, for a trace that lacks them */
    struct arena arena;         /* of all that is read */
};

static void warn(const struct options *options, const struct sentences *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        command_warn(options, "%s", warnings->items[i]);
}

/* The counters of all files from that input on; the first is the model. */
static enum status read_counters(const struct options *options, struct predicting *predicting, size_t first,
                                 struct named_numbers *counters, struct error *error)
{
    struct sentences warnings = {0};
    struct told_numbers told = {0};
    enum status status = STATUS_OK;
    for (size_t k = first; status == STATUS_OK && k < options->input_count; k++) {
        const struct application_file file = {
            options->inputs[k], options->columns, predicting->file.model, "", &predicting->file.result, &told,
            &predicting->arena};
        status = application_counters_read(&file, &predicting->settings, counters, &warnings, error);
    }
    warn(options, &warnings);
    return status;
}

static void print_parts(const struct model_result *result)
{
    struct table table = table_of("part|>value|95 % interval|unit");
    for (size_t i = 0; i < result->disbelief.count; i++)
        command_print("%s\n", result->disbelief.items[i]);
    for (size_t i = 0; i < result->part_count; i++) {
        const struct model_part *part = &result->parts[i];
        table_cell(&table, "%s", part->name);
        table_cell(&table, "%.4g", part->at.value);
        table_cell(&table, "%.4g to %.4g", part->at.low, part->at.high);
        table_cell(&table, "%s", part->unit);
    }
    table_finish(&table, stdout);
    for (size_t i = 0; i < result->notes.count; i++)
        command_print("%s%s\n", i == 0 ? "\n" : "", result->notes.items[i]);
}

/* --idle: subtracts the application's idle power at its temperature; its notes are about it. */
static enum status subtract_idle(const struct options *options, struct application *application,
                                 struct arena *arena, struct error *error)
{
    struct model_file idle;
    if (options->idle == NULL)
        return STATUS_OK;
    enum status status = model_file_open(options->idle, &model_idle, &idle, error);
    if (status == STATUS_OK)
        status = idle_subtract_counters(idle.model == NULL ? NULL : &idle.result, &application->counters,
                                        &application->notes, arena, error);
    if (status == STATUS_OK && simulated_label(idle.document) != NULL)
        sentence_add(&application->notes, arena, "--idle: %s: %s", simulated_label(idle.document),
                     simulated_how(idle.document));
    model_file_close(&idle);
    return status;
}

static enum status draw(const struct options *options, const struct predicting *predicting,
                        const struct charts *charts, struct error *error)
{
    return options->figure == NULL ? STATUS_OK
                                   : model_figure_draw(charts, simulated_label(predicting->file.document),
                                                       options->figure, error);
}

static void print_json(struct buffer *text)
{
    command_print_json_text(text->data);
    buffer_free(text);
}

/* One set of counters, for an application as a whole. */
static enum status predict_whole(const struct options *options, struct predicting *predicting,
                                 struct error *error)
{
    struct application whole = {.name = ""};
    struct model_result result = {0};
    struct buffer text = {0};
    enum status status = read_counters(options, predicting, 1, &whole.counters, error);
    if (status == STATUS_OK)
        status = subtract_idle(options, &whole, &predicting->arena, error);
    if (status == STATUS_OK)
        status = model_predict(predicting->file.model, &predicting->file.result, &whole.counters,
                               &predicting->settings, &result, error);
    if (status == STATUS_OK) {
        model_take_notes(&result, &whole.notes);
        status = draw(options, predicting, &result.charts, error);
    }
    if (status == STATUS_OK && options->json) {
        model_json_print(&text, predicting->file.model, &result, false);
        print_json(&text);
    } else if (status == STATUS_OK) {
        print_parts(&result);
    }
    model_result_free(&result);
    return status;
}

/* Several applications, side by side. */
static enum status predict_all(const struct options *options, struct predicting *predicting,
                               struct error *error)
{
    const struct application_request request = {options->inputs + 1,    options->input_count - 1,
                                                options->columns,       options->each,
                                                predicting->file.model, &predicting->file.result};
    struct applications list = {.arena = &predicting->arena};
    struct applications_report report = {0};
    struct sentences warnings = {0};
    struct buffer text = {0};
    enum status status = applications_read(&request, &predicting->settings, &list, &warnings, error);
    warn(options, &warnings);
    for (size_t i = 0; status == STATUS_OK && i < list.count; i++)
        status = subtract_idle(options, &list.items[i], list.arena, error);
    if (status == STATUS_OK)
        status =
            applications_predict(&list, request.model, request.fitted, &predicting->settings, &report, error);
    if (status == STATUS_OK)
        status = draw(options, predicting, &report.charts, error);
    if (status == STATUS_OK && options->json) {
        applications_json(&report, &text);
        print_json(&text);
    } else if (status == STATUS_OK) {
        applications_print(&report, stdout);
    }
    applications_report_free(&report);
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

static enum status predict(const struct options *options, struct predicting *predicting, struct error *error)
{
    enum status status = options->figure == NULL ? STATUS_OK : model_figure_check(options->figure, error);
    if (status == STATUS_OK)
        status = (are_several(options) ? predict_all : predict_whole)(options, predicting, error);
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

/* What is shown of a trace. */
struct showing {
    const struct options *options;
    bool begun;
};

static void show_step(void *context, const struct replay_step *step)
{
    struct showing *showing = context;
    if (!showing->begun)
        printf("%10s %10s %10s %10s %10s %10s %10s\n", "t_s", "GHz", "measured W", "predict. W", "E*D GHz",
               "cap GHz", "there W");
    showing->begun = true;
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
    struct buffer text = {0};
    (void)context;
    model_json_print(&text, &model_ppep, step->result, true);
    print_json(&text);
}

static void add_clocks(const struct replay_clocks *clocks, struct buffer *text)
{
    buffer_printf(text, "%.4g", clocks->least_ghz);
    if (clocks->most_ghz != clocks->least_ghz)
        buffer_printf(text, " to %.4g", clocks->most_ghz);
    buffer_text(text, " GHz");
}

/* The log of what is set. */
static void show_change(void *context, const struct replay_change *change)
{
    const struct showing *showing = context;
    struct buffer text = {0};
    buffer_printf(&text, "%.3f s: %slogical processor%s", change->t_s, change->cpu_count == 0 ? "all " : "",
                  change->cpu_count == 1 ? "" : "s");
    for (size_t i = 0; i < change->cpu_count; i++)
        buffer_printf(&text, "%s%d", i == 0 ? " " : ",", change->cpus[i]);
    buffer_text(&text, ": ");
    add_clocks(&change->from, &text);
    buffer_text(&text, " -> ");
    add_clocks(&change->to, &text);
    if (!showing->options->quiet)
        command_tell("%s: %s", text.data, change->why);
    buffer_free(&text);
}

static void show_change_json(void *context, const struct replay_change *change)
{
    json_t *line = json_pack("{s:s, s:f, s:[], s:[ff], s:[ff], s:s}", "kind", "change", "t_s", change->t_s,
                             "processors", "from_ghz", change->from.least_ghz, change->from.most_ghz,
                             "to_ghz", change->to.least_ghz, change->to.most_ghz, "why", change->why);
    for (size_t i = 0; i < change->cpu_count; i++)
        json_array_append_new(json_object_get(line, "processors"), json_integer(change->cpus[i]));
    command_print_line(line);
    show_change(context, change);
}

static void show_warning(void *context, const char *sentence)
{
    const struct showing *showing = context;
    command_warn(showing->options, "%s", sentence);
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

static void print_summary_json(const struct replay_summary *summary, bool changes)
{
    json_t *line = json_pack("{s:s, s:I, s:f, s:f}", "kind", "summary", "steps", (json_int_t)summary->steps,
                             "cost_s", summary->cost_s, "cost_95_s", summary->cost_95_s);
    if (summary->compared > 0)
        json_object_set_new(line, "power_error", json_real(summary->power_error));
    if (summary->one_step.steps > 0) {
        json_object_set_new(line, "one_step", policy_to_json(&summary->one_step));
        json_object_set_new(line, "simple", policy_to_json(&summary->simple));
    }
    if (changes)
        json_object_set_new(line, "changes", json_integer((json_int_t)summary->changes));
    command_print_line(line);
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

static void print_summary(const struct replay_summary *summary, bool changes)
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
    if (changes)
        printf("%zu changes of the clock\n", summary->changes);
}

/* Of --set and of files beside the trace: what a trace may lack, and the model's settings. */
static enum status read_given(const struct options *options, struct predicting *predicting,
                              struct error *error)
{
    static const char *const of_chip[] = {"ghz", "temperature_c"};
    struct override settings[OPTIONS_MOST];
    size_t count = 0;
    double value;
    for (size_t i = 0; i < options->override_count; i++) {
        const struct override *set = &options->overrides[i];
        bool chips = strcmp(set->name, of_chip[0]) == 0 || strcmp(set->name, of_chip[1]) == 0;
        if (!chips)
            settings[count++] = *set;
        else if (named_number_find(&predicting->given, set->name) != NULL)
            return error_set(error, STATUS_USAGE, "--set %s is given twice", set->name);
        else if (!units_parse_number(set->values, &value))
            return error_set(error, STATUS_USAGE, "--set %s=%s: expected a number", set->name, set->values);
        else
            named_number_set(&predicting->given, &predicting->arena, set->name, value);
    }
    enum status status =
        model_settings_read(settings, count, predicting->file.model, true, &predicting->settings, error);
    if (status == STATUS_OK)
        status = read_counters(options, predicting, 2, &predicting->given, error);
    if (status == STATUS_OK && options->allow_state && named_number_find(&predicting->given, "ghz") != NULL)
        status =
            error_set(error, STATUS_USAGE, "--allow-state changes the clock, and ghz says that it stays");
    return status;
}

static enum status replay(const struct options *options, const struct predicting *predicting,
                          struct error *error)
{
    struct showing showing = {.options = options};
    struct replay_summary summary;
    const struct replay_request request = {.path = options->input_count < 2 ? NULL : options->inputs[1],
                                           .grows = options->follow,
                                           .wait_s = options->time,
                                           .columns = options->columns,
                                           .given = &predicting->given,
                                           .model = predicting->file.model,
                                           .fitted = &predicting->file.result,
                                           .settings = &predicting->settings,
                                           .step = options->json ? show_step_json : show_step,
                                           .allow_state = options->allow_state,
                                           .root = requests_root(options),
                                           .change = options->json ? show_change_json : show_change,
                                           .warn = show_warning,
                                           .context = &showing};
    warn(options, &predicting->file.result.disbelief);
    enum status status = counter_replay(&request, &summary, error);
    if (status == STATUS_OK && options->json)
        print_summary_json(&summary, options->allow_state);
    else if (status == STATUS_OK)
        print_summary(&summary, options->allow_state);
    return status;
}

/* Of results, a model of each core's counters takes the intervals, any other the whole. */
static bool is_trace(const char *path, const struct predicting *predicting)
{
    return counter_trace_is(path) || (predicting->file.model->by_core &&
                                      (counter_trace_is_recorded(path) || counter_trace_is_counted(path)));
}

static int run(const struct options *options)
{
    struct predicting predicting = {0};
    struct error error;
    if (options->input_count < (options->follow ? 1 : 2)) {
        error_set(&error, STATUS_USAGE, "trauma predict needs a model and counters");
        error_hint(&error, "trauma predict model.json COUNTERS");
        return command_fail(&error);
    }
    if (options->allow_state && !options->follow) {
        error_set(&error, STATUS_USAGE, "--allow-state sets the clock for an application that runs");
        error_hint(&error, "add --follow, and the trace that grows while it runs");
        return command_fail(&error);
    }
    enum status status = model_file_open(options->inputs[0], NULL, &predicting.file, &error);
    bool trace = status == STATUS_OK && (options->follow || is_trace(options->inputs[1], &predicting));
    if (trace)
        status = read_given(options, &predicting, &error);
    else if (status == STATUS_OK)
        status = model_settings_read(options->overrides, options->override_count, predicting.file.model, true,
                                     &predicting.settings, &error);
    if (status == STATUS_OK)
        status = trace ? replay(options, &predicting, &error) : predict(options, &predicting, &error);
    model_file_close(&predicting.file);
    arena_free(&predicting.arena);
    if (status == STATUS_USAGE && options->input_count > 1)
        application_hint(options->inputs[1], &error);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_predict = {
    .name = "predict",
    .arguments = "model.json COUNTERS... [OPTIONS]",
    .summary = "breaks down an application's energy with a fitted model",
    .details =

        "COUNTERS is a results file of trauma record or run, a JSON object of numbers, lines NAME,NUMBER, "
        "the output "
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
        "The model ppep also takes a trace: the intervals of trauma record --interval, those of perf stat -I "
        "with -x or -j (-A: by core), or CSV with the columns t_s,core,ghz,temperature_c,cycles,... and a "
        "line per core and step. What a trace lacks of the chip stands in a file beside it, or in --set "
        "ghz=GHZ and --set temperature_c=CELSIUS. The command "
        "replays it, or with --follow predicts it as it grows. It changes no setting of the machine unless "
        "--follow, --allow-state and a cap are given: then it sets, after each step, the minimum and maximum "
        "frequency of the trace's logical processors to the fastest state that is predicted to keep the cap, "
        "logs each change on stderr, and restores what was before at the end, even after a kill.\n"
        "\n"
        "trauma fit --explain MODEL lists the counters that a model takes.\n",
    .options = accepted,
    .run = run,
};
