/* trauma predict: predicts an application's energy from its counters with a fitted model. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/text/visible.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "model/data/application.h"
#include "model/idle/idle_subtract.h"
#include "model/model.h"
#include "model/model_json.h"
#include "report/figure/model_figure.h"
#include "report/table.h"
#include "session/predict/application_counters.h"
#include "session/predict/applications.h"
#include "session/predict/counter_replay.h"
#include "session/predict/counter_trace.h"
#include "session/predict/model_settings.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accepted[] = {"set",    "columns", "each",        "idle",       "follow", "time",
                                       "figure", "json",    "allow-state", "sysfs-root", "quiet",  NULL};

/* The model and its inputs. */
struct predicting {
    struct model_file file;
    struct model_settings settings;
    struct named_numbers given; /* clock and temperature for a trace that lacks them */
    struct arena arena;         /* holds all that is read */
};

/* ---- several applications, side by side ---- */

/* A part, averaged over the applications that have it. */
struct mean_part {
    struct model_part part; /* its interval is the value alone */
    size_t applications;
};

struct applications_report {
    const struct model *model;
    struct model_result *items; /* of each application; owned */
    size_t count;
    struct mean_part *means;
    size_t mean_count;
    struct charts charts;
    struct arena arena; /* of means and charts */
};

enum { GROUP_BYTES = 96 };

/* ---- one by one ---- */

/* The application's own settings come after those for all: models take the last. */
static struct model_settings settings_of(const struct model *model, const struct model_settings *all,
                                         const struct named_numbers *own)
{
    struct model_settings settings = *all;
    for (size_t i = 0; i < own->count; i++) {
        const struct model_setting_row *row = model_setting_row(model->settings, own->items[i].name);
        if (row != NULL && settings.count < MODEL_SETTINGS)
            settings.items[settings.count++] = (struct model_setting){row->name, own->items[i].value};
    }
    return settings;
}

static enum status predict_one(const struct application *application, const struct model *model,
                               const struct model_result *fitted, const struct model_settings *settings,
                               struct model_result *result, struct error *error)
{
    struct model_settings own = settings_of(model, settings, &application->settings);
    enum status status = model_predict(model, fitted, &application->counters, &own, result, error);
    if (status != STATUS_OK) {
        error_prefix(error, "%s", application->name);
        return status;
    }
    model_take_notes(result, &application->notes);
    result->application = arena_strdup(&result->arena, application->name);
    model_states(result, "application");
    return STATUS_OK;
}

/* ---- side by side ---- */

/* "what if: L1-L2" is the part L1-L2 of "what if". */
static const char *split(const char *part, char scenario[GROUP_BYTES])
{
    const char *colon = strstr(part, ": ");
    snprintf(scenario, GROUP_BYTES, "%.*s", colon == NULL ? 0 : (int)(colon - part), part);
    return colon == NULL ? part : colon + 2;
}

/* Parts of one scenario in one unit. */
struct scenario_group {
    char scenario[GROUP_BYTES];
    const char *unit;
};

static bool is_in(const struct scenario_group *group, const struct mean_part *mean)
{
    char scenario[GROUP_BYTES];
    split(mean->part.name, scenario);
    return strcmp(scenario, group->scenario) == 0 && strcmp(mean->part.unit, group->unit) == 0;
}

static bool is_same(const struct model_part *a, const struct model_part *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0;
}

static const struct model_part *find_part(const struct model_result *result, const struct model_part *like)
{
    for (size_t i = 0; i < result->part_count; i++)
        if (is_same(&result->parts[i], like))
            return &result->parts[i];
    return NULL;
}

static void add_mean(struct applications_report *report, const struct model_part *like)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < report->mean_count; i++)
        if (is_same(&report->means[i].part, like))
            return;
    for (size_t i = 0; i < report->count; i++) {
        const struct model_part *same = find_part(&report->items[i], like);
        sum += same == NULL ? 0 : same->at.value;
        count += same != NULL;
    }
    double mean = sum / (double)count;
    report->means = arena_next(&report->arena, report->means, report->mean_count, sizeof *report->means);
    report->means[report->mean_count++] =
        (struct mean_part){{like->name, like->unit, {mean, mean, mean, 1}, like->sum}, count};
}

/* The mean of each part that any application has, in order of appearance. */
static void set_means(struct applications_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        for (size_t j = 0; j < report->items[i].part_count; j++)
            add_mean(report, &report->items[i].parts[j]);
}

/* The groups of the means, in order of appearance; units are borrowed. Returns their count. */
static size_t find_groups(const struct applications_report *report, struct scenario_group **groups)
{
    size_t count = 0;
    *groups = memory_zeroed(report->mean_count + 1, sizeof **groups);
    for (size_t i = 0; i < report->mean_count; i++) {
        const struct mean_part *mean = &report->means[i];
        size_t at = 0;
        while (at < count && !is_in(&(*groups)[at], mean))
            at++;
        if (at < count)
            continue;
        split(mean->part.name, (*groups)[count].scenario);
        (*groups)[count++].unit = mean->part.unit;
    }
    return count;
}

/* ---- charts ---- */

static const char *quantity_of(const char *unit)
{
    static const struct {
        const char *unit, *quantity;
    } quantities[] = {{"W", "Power"}, {"J", "Energy"}, {"%", "Change"}, {"% of dynamic", "Share"}};
    for (size_t i = 0; i < sizeof quantities / sizeof quantities[0]; i++)
        if (strcmp(quantities[i].unit, unit) == 0)
            return quantities[i].quantity;
    return "Value";
}

/* Shares replace watts and joules of the same scenario; changes are drawn as adjacent bars. */
static void add_chart(struct applications_report *report, const struct scenario_group *group)
{
    char y[GROUP_BYTES];
    char title[GROUP_BYTES + 16];
    bool change = strcmp(group->unit, "%") == 0;
    bool counted = group->scenario[0] == '\0'; /* percentages are then shares, else changes */
    const char *quantity = change && counted ? "Share" : quantity_of(group->unit);
    snprintf(y, sizeof y, "%s (%.40s)", quantity, group->unit);
    snprintf(title, sizeof title, "%s: %c%s", counted ? "as counted" : group->scenario,
             tolower((unsigned char)quantity[0]), quantity + 1);
    title[0] = (char)toupper((unsigned char)title[0]);
    struct chart *chart =
        chart_add(&report->charts, &report->arena, change ? CHART_BARS : CHART_STACKED, title, "", "", y);
    for (size_t j = 0; j < report->mean_count; j++) {
        const struct mean_part *mean = &report->means[j];
        char scenario[GROUP_BYTES];
        const char *name = split(mean->part.name, scenario);
        if (!is_in(group, mean) || (!change && mean->part.sum))
            continue;
        for (size_t i = 0; i < report->count; i++) {
            const struct model_part *part = find_part(&report->items[i], &mean->part);
            if (part != NULL)
                chart_bar(chart, name, report->items[i].application, part->at);
        }
        chart_bar(chart, name, "mean", mean->part.at);
    }
}

static void chart_means(struct applications_report *report)
{
    struct scenario_group *groups;
    size_t count = find_groups(report, &groups);
    for (size_t i = 0; i < count; i++) {
        bool shares = false;
        for (size_t j = 0; j < count; j++)
            shares = shares || (j != i && groups[j].unit[0] == '%' && groups[i].unit[0] != '%' &&
                                strcmp(groups[j].unit, "%") != 0 &&
                                strcmp(groups[i].scenario, groups[j].scenario) == 0);
        if (!shares)
            add_chart(report, &groups[i]);
    }
    free(groups);
}

/* Predicts each application. Free the report in every case. */
static enum status applications_predict(const struct applications *list, const struct model *model,
                                        const struct model_result *fitted,
                                        const struct model_settings *settings,
                                        struct applications_report *report, struct error *error)
{
    enum status status = STATUS_OK;
    bool drawn = false;
    *report = (struct applications_report){
        .model = model, .items = memory_zeroed(list->count + 1, sizeof *report->items), .count = list->count};
    for (size_t i = 0; status == STATUS_OK && i < list->count; i++) {
        struct model_result *result = &report->items[i];
        status = predict_one(&list->items[i], model, fitted, settings, result, error);
        drawn = drawn || result->charts.count > 0;
        model_withdraw(result, "charts");
    }
    set_means(report);
    if (status == STATUS_OK && drawn)
        chart_means(report);
    return status;
}

static void applications_report_free(struct applications_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        model_result_free(&report->items[i]);
    free(report->items);
    arena_free(&report->arena);
    *report = (struct applications_report){0};
}

/* ---- as text ---- */

static void print_group(const struct applications_report *report, const struct scenario_group *group)
{
    struct table table = table_of("application");
    char scenario[GROUP_BYTES];
    for (size_t j = 0; j < report->mean_count; j++)
        if (is_in(group, &report->means[j]))
            table_add_column(&table, split(report->means[j].part.name, scenario), TABLE_RIGHT);
    for (size_t i = 0; i < report->count; i++) {
        table_cell(&table, "%s", report->items[i].application);
        for (size_t j = 0; j < report->mean_count; j++) {
            const struct model_part *part = find_part(&report->items[i], &report->means[j].part);
            if (is_in(group, &report->means[j]))
                table_cell(&table, part == NULL ? "-" : "%.4g", part == NULL ? 0 : part->at.value);
        }
    }
    table_cell(&table, "mean");
    for (size_t j = 0; j < report->mean_count; j++)
        if (is_in(group, &report->means[j]))
            table_cell(&table, "%.4g", report->means[j].part.at.value);
    command_print("%s%s%s\n", group->scenario, group->scenario[0] == '\0' ? "" : ", ", group->unit);
    table_finish(&table, stdout);
}

static bool was_printed(const struct applications_report *report, size_t which, size_t note)
{
    const char *text = report->items[which].notes.items[note];
    for (size_t i = 0; i <= which; i++)
        for (size_t j = 0; j < (i < which ? report->items[i].notes.count : note); j++)
            if (strcmp(report->items[i].notes.items[j], text) == 0)
                return true;
    return false;
}

/* Prints each sentence once, as most apply to all applications. */
static void print_notes(const struct applications_report *report)
{
    const char *before = "\n";
    for (size_t i = 0; i < report->count; i++)
        for (size_t j = 0; j < report->items[i].notes.count; j++) {
            if (was_printed(report, i, j))
                continue;
            command_print("%s%s\n", before, report->items[i].notes.items[j]);
            before = "";
        }
}

/* Writes a table for each unit and scenario with a line per application and the mean; then the notes. */
static void applications_print(const struct applications_report *report)
{
    struct scenario_group *groups;
    size_t count = find_groups(report, &groups);
    const struct sentences *disbelief = &report->items[0].disbelief;
    for (size_t i = 0; i < disbelief->count; i++)
        command_print("%s\n", disbelief->items[i]);
    for (size_t i = 0; i < count; i++) {
        command_print("%s", i == 0 ? "" : "\n");
        print_group(report, &groups[i]);
    }
    print_notes(report);
    free(groups);
}

/* ---- as JSON ---- */

static const struct field_row mean_rows[] = {FIELD_ROW(mean_part, "part", FIELD_TEXT, part.name),
                                             FIELD_ROW(mean_part, "value", FIELD_REAL, part.at.value),
                                             FIELD_ROW(mean_part, "unit", FIELD_TEXT, part.unit),
                                             FIELD_ROW(mean_part, "applications", FIELD_WHOLE, applications),
                                             FIELD_GIVEN(mean_part, "sum", FIELD_FLAG, part.sum, part.sum),
                                             {0}};

static const struct field_row report_rows[] = {
    FIELD_STRUCTS(applications_report, "means", means, mean_count, mean_rows, struct mean_part), {0}};

/* {"applications": [{"parts", "notes", ..., "application"}], "means": [{"part", "value", "unit",
 * "applications"}], "charts"} */
static void applications_json(const struct applications_report *report, struct buffer *buffer)
{
    struct json_text text = {.buffer = buffer};
    const struct model_result *first = &report->items[0];
    json_text_open(&text, NULL, '{');
    json_text_open(&text, "applications", '[');
    for (size_t i = 0; i < report->count; i++)
        model_json_write(&text, NULL, report->model, &report->items[i]);
    json_text_close(&text, ']');
    fields_write(&text, report_rows, NULL, report);
    simulated_write(&text, "simulated", &first->simulated);
    if (report->charts.count > 0)
        model_json_charts(&text, &report->charts);
    json_text_close(&text, '}');
}

static void warn(const struct options *options, const struct sentences *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        command_warn(options, "%s", warnings->items[i]);
}

/* The counters of all files from input number `first` on; input 0 is the model. */
static enum status read_counters(const struct options *options, struct predicting *predicting, size_t first,
                                 struct named_numbers *counters, struct error *error)
{
    struct sentences warnings = {0};
    struct file_numbers stated = {0};
    enum status status = STATUS_OK;
    for (size_t k = first; status == STATUS_OK && k < options->input_count; k++) {
        const struct application_file file = {
            options->inputs[k],       options->columns, predicting->file.model, "",
            &predicting->file.result, &stated,          &predicting->arena};
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

/* --idle: subtracts the idle power at the application's temperature, and adds notes about it. */
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
    const struct simulated *simulated = &idle.result.simulated;
    if (status == STATUS_OK && simulated->given)
        sentence_add(&application->notes, arena, "--idle: %s: %s", simulated_label(simulated),
                     simulated->how);
    model_file_close(&idle);
    return status;
}

static enum status draw(const struct options *options, const struct predicting *predicting,
                        const struct charts *charts, struct error *error)
{
    return options->figure == NULL
               ? STATUS_OK
               : model_figure_draw(charts, simulated_label(&predicting->file.result.simulated),
                                   options->figure, error);
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
        command_print_json_lines(&text);
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
        command_print_json_lines(&text);
    } else if (status == STATUS_OK) {
        applications_print(&report);
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

/* The output for a trace. */
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
    command_print_json_lines(&text);
}

static void add_clocks(const struct replay_clocks *clocks, struct buffer *text)
{
    buffer_printf(text, "%.4g", clocks->least_ghz);
    if (clocks->most_ghz != clocks->least_ghz)
        buffer_printf(text, " to %.4g", clocks->most_ghz);
    buffer_text(text, " GHz");
}

/* Logs a change of the clock. */
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
        command_note("%s: %s", text.data, change->why);
    buffer_free(&text);
}

static void write_clocks(struct json_text *text, const char *name, const struct replay_clocks *clocks)
{
    json_text_open(text, name, '[');
    json_text_real(text, NULL, clocks->least_ghz);
    json_text_real(text, NULL, clocks->most_ghz);
    json_text_close(text, ']');
}

static void show_change_json(void *context, const struct replay_change *change)
{
    struct buffer line = {0};
    struct json_text text = {.buffer = &line, .compact = true};
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "kind", "change");
    json_text_real(&text, "t_s", change->t_s);
    json_text_open(&text, "processors", '[');
    for (size_t i = 0; i < change->cpu_count; i++)
        json_text_integer(&text, NULL, change->cpus[i]);
    json_text_close(&text, ']');
    write_clocks(&text, "from_ghz", &change->from);
    write_clocks(&text, "to_ghz", &change->to);
    json_text_string(&text, "why", change->why);
    json_text_close(&text, '}');
    command_print_json_lines(&line);
    show_change(context, change);
}

static void show_warning(void *context, const char *sentence)
{
    const struct showing *showing = context;
    command_warn(showing->options, "%s", sentence);
}

static void write_policy(struct json_text *text, const char *name, const struct replay_policy *policy)
{
    json_text_open(text, name, '{');
    json_text_integer(text, "steps", (long long)policy->steps);
    json_text_integer(text, "above_cap", (long long)policy->above_cap);
    json_text_real(text, "mean_w", policy->mean_w);
    json_text_integer(text, "cap_changes", (long long)policy->cap_changes);
    if (isfinite(policy->steps_to_settle))
        json_text_real(text, "steps_to_settle", policy->steps_to_settle);
    json_text_close(text, '}');
}

static void print_summary_json(const struct replay_summary *summary, bool changes)
{
    struct buffer line = {0};
    struct json_text text = {.buffer = &line, .compact = true};
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "kind", "summary");
    json_text_integer(&text, "steps", (long long)summary->steps);
    json_text_real(&text, "cost_s", summary->cost_s);
    json_text_real(&text, "cost_95_s", summary->cost_95_s);
    if (summary->compared > 0)
        json_text_real(&text, "power_error", summary->power_error);
    if (summary->one_step.steps > 0) {
        write_policy(&text, "one_step", &summary->one_step);
        write_policy(&text, "simple", &summary->simple);
    }
    if (changes)
        json_text_integer(&text, "changes", (long long)summary->changes);
    json_text_close(&text, '}');
    command_print_json_lines(&line);
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

/* Reads --set and the files beside the trace: the model's settings, and clock or temperature that a trace may
 * lack. */
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
        status = error_set(error, STATUS_USAGE,
                           "--allow-state changes the clock, but ghz states that it is constant");
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

/* A model of each core's counters takes the intervals of a results file; any other model takes the whole. */
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
        "the output of perf stat -j or -x, ncu, rocprof or CodeXL, or a table with --columns "
        "COLUMN=NAME,... Several files are read as one and must not contradict each other. If NAME is one "
        "of the model's settings, the file sets it, and can thus describe a what-if; --set overrides it.\n"
        "\n"
        "Each point of a results file is an application, with the means of its repetitions. A table whose "
        "first line is application,COUNTER,... has one line per application. With --each, files that have "
        "the same name up to the first dot are one application. The results of all applications are "
        "printed side by side, with the mean.\n"
        "\n"
        "The model ppep also accepts a trace: the intervals of trauma record --interval, those of perf "
        "stat -I with -x or -j (-A: by core), or CSV with the columns "
        "t_s,core,ghz,temperature_c,cycles,... and one line per core and step. If the trace lacks the "
        "clock or the temperature, another file or --set ghz=GHZ and --set temperature_c=CELSIUS states "
        "them. The command replays the trace or, with --follow, predicts each step as the trace grows.\n"
        "\n"
        "The command changes the machine's clock only if --follow, --allow-state and a cap are given. "
        "After each step, it then sets the minimum and maximum frequency of the trace's logical "
        "processors to the fastest state that is predicted to keep the cap, and logs each change on "
        "standard error. At the end, even after a kill, the former frequencies are restored.\n"
        "\n"
        "trauma fit --explain MODEL lists the counters that a model needs.\n",
    .options = accepted,
    .run = run,
};
