#include "report/applications_report.h"

#include "base/memory.h"
#include "base/stats.h"
#include "base/text/visible.h"
#include "model/model_json.h"
#include "report/table.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

static void draw(struct applications_report *report)
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

enum status applications_predict(const struct applications *list, const struct model *model,
                                 const struct model_result *fitted, const struct model_settings *settings,
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
        draw(report);
    return status;
}

void applications_report_free(struct applications_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        model_result_free(&report->items[i]);
    free(report->items);
    arena_free(&report->arena);
    *report = (struct applications_report){0};
}

/* ---- as text ---- */

/* Names are others' text. */
__attribute__((format(printf, 2, 3))) static void write_text(FILE *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    visible_print(to, format, arguments);
    va_end(arguments);
}

static void print_group(const struct applications_report *report, const struct scenario_group *group,
                        FILE *to)
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
    write_text(to, "%s%s%s\n", group->scenario, group->scenario[0] == '\0' ? "" : ", ", group->unit);
    table_finish(&table, to);
}

static bool is_said(const struct applications_report *report, size_t which, size_t note)
{
    const char *text = report->items[which].notes.items[note];
    for (size_t i = 0; i <= which; i++)
        for (size_t j = 0; j < (i < which ? report->items[i].notes.count : note); j++)
            if (strcmp(report->items[i].notes.items[j], text) == 0)
                return true;
    return false;
}

/* Prints each sentence once, as most apply to all applications. */
static void print_notes(const struct applications_report *report, FILE *to)
{
    const char *before = "\n";
    for (size_t i = 0; i < report->count; i++)
        for (size_t j = 0; j < report->items[i].notes.count; j++) {
            if (is_said(report, i, j))
                continue;
            write_text(to, "%s%s\n", before, report->items[i].notes.items[j]);
            before = "";
        }
}

void applications_print(const struct applications_report *report, FILE *to)
{
    struct scenario_group *groups;
    size_t count = find_groups(report, &groups);
    const struct sentences *disbelief = &report->items[0].disbelief;
    for (size_t i = 0; i < disbelief->count; i++)
        write_text(to, "%s\n", disbelief->items[i]);
    for (size_t i = 0; i < count; i++) {
        write_text(to, "%s", i == 0 ? "" : "\n");
        print_group(report, &groups[i], to);
    }
    print_notes(report, to);
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

void applications_json(const struct applications_report *report, struct buffer *buffer)
{
    struct json_text text = {.buffer = buffer};
    const struct model_result *first = &report->items[0];
    json_text_open(&text, NULL, '{');
    json_text_open(&text, "applications", '[');
    for (size_t i = 0; i < report->count; i++)
        model_json_write(&text, NULL, report->model, &report->items[i]);
    json_text_close(&text, ']');
    fields_write(&text, report_rows, NULL, report);
    json_text_value(&text, "simulated", first->simulated);
    if (report->charts.count > 0)
        model_json_charts(&text, &report->charts);
    json_text_close(&text, '}');
}
