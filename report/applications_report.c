#include "report/applications_report.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/text/visible.h"
#include "model/chart.h"
#include "report/table.h"
#include "runner/results/simulated.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_BYTES = 96 };

/* ---- one by one ---- */

/* The application's own settings come after those for all: models take the last. */
static struct model_settings settings_of(const struct model *model, const struct model_settings *all,
                                         const json_t *own)
{
    struct model_settings settings = *all;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)own, name, value)
    {
        const struct model_setting_row *row = model->settings;
        while (row->name != NULL && strcmp(row->name, name) != 0)
            row++;
        if (row->name != NULL && settings.count < MODEL_SETTINGS)
            settings.items[settings.count++] = (struct model_setting){row->name, json_number_value(value)};
    }
    return settings;
}

static enum status predict_one(const json_t *application, const json_t *document, const struct model *model,
                               const struct model_settings *settings, json_t *list, struct error *error)
{
    json_t *result = NULL;
    const char *name = json_string_or(application, "application", "");
    struct model_settings own = settings_of(model, settings, json_object_get(application, "settings"));
    enum status status =
        model_predict(model, document, json_object_get(application, "counters"), &own, &result, error);
    if (status != STATUS_OK) {
        error_prefix(error, "%s", name);
        return status;
    }
    model_take_notes(result, application);
    json_object_set_new(result, "application", json_string(name));
    json_array_append_new(list, result);
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
struct group {
    char scenario[GROUP_BYTES];
    const char *unit;
};

static bool is_in(const struct group *group, const json_t *part)
{
    char scenario[GROUP_BYTES];
    split(json_string_or(part, "part", ""), scenario);
    return strcmp(scenario, group->scenario) == 0 &&
           strcmp(json_string_or(part, "unit", ""), group->unit) == 0;
}

static const json_t *find_part(const json_t *parts, const char *name, const char *unit)
{
    const json_t *part;
    size_t i;
    json_array_foreach(parts, i, part) if (strcmp(json_string_or(part, "part", ""), name) == 0 &&
                                           strcmp(json_string_or(part, "unit", ""), unit) == 0) return part;
    return NULL;
}

/* The mean of each part that any application has, in order of appearance. */
static json_t *means_of(const json_t *list)
{
    json_t *means = json_array();
    const json_t *application;
    const json_t *part;
    size_t i;
    size_t j;
    json_array_foreach(list, i, application)
        json_array_foreach(json_object_get(application, "parts"), j, part)
    {
        const char *name = json_string_or(part, "part", "");
        const char *unit = json_string_or(part, "unit", "");
        double sum = 0;
        size_t count = 0;
        if (find_part(means, name, unit) != NULL)
            continue;
        for (size_t k = 0; k < json_array_size(list); k++) {
            const json_t *same = find_part(json_object_get(json_array_get(list, k), "parts"), name, unit);
            sum += json_number_or(same, "value", 0);
            count += same != NULL;
        }
        json_t *mean = json_pack("{s:s, s:f, s:s, s:I}", "part", name, "value", sum / (double)count, "unit",
                                 unit, "applications", (json_int_t)count);
        if (json_is_true(json_object_get(part, "sum")))
            json_object_set_new(mean, "sum", json_true());
        json_array_append_new(means, mean);
    }
    return means;
}

/* The groups of the means, in order of appearance; units are borrowed. Returns their count. */
static size_t find_groups(const json_t *means, struct group **groups)
{
    size_t count = 0;
    const json_t *mean;
    size_t i;
    *groups = memory_zeroed(json_array_size(means) + 1, sizeof **groups);
    json_array_foreach(means, i, mean)
    {
        size_t at = 0;
        while (at < count && !is_in(&(*groups)[at], mean))
            at++;
        if (at < count)
            continue;
        split(json_string_or(mean, "part", ""), (*groups)[count].scenario);
        (*groups)[count++].unit = json_string_or(mean, "unit", "");
    }
    return count;
}

/* ---- charts ---- */

static struct interval interval_of(const json_t *part)
{
    double value = json_number_or(part, "value", 0);
    return (struct interval){value, json_number_or(part, "low", value), json_number_or(part, "high", value),
                             1};
}

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
static void add_chart(const json_t *list, const json_t *means, const struct group *group, json_t *result)
{
    char y[GROUP_BYTES];
    char title[GROUP_BYTES + 16];
    bool change = strcmp(group->unit, "%") == 0;
    const json_t *application;
    const json_t *mean;
    size_t i;
    size_t j;
    bool counted = group->scenario[0] == '\0'; /* percentages are then shares, else changes */
    const char *quantity = change && counted ? "Share" : quantity_of(group->unit);
    snprintf(y, sizeof y, "%s (%.40s)", quantity, group->unit);
    snprintf(title, sizeof title, "%s: %c%s", counted ? "as counted" : group->scenario,
             tolower((unsigned char)quantity[0]), quantity + 1);
    title[0] = (char)toupper((unsigned char)title[0]);
    json_t *chart = chart_add(result, title, "", change ? "bars" : "stacked", "", y);
    json_array_foreach(means, j, mean)
    {
        char scenario[GROUP_BYTES];
        const char *name = json_string_or(mean, "part", "");
        if (!is_in(group, mean) || (!change && json_is_true(json_object_get(mean, "sum"))))
            continue;
        json_array_foreach(list, i, application)
        {
            const json_t *part = find_part(json_object_get(application, "parts"), name, group->unit);
            if (part != NULL)
                chart_bar(chart, split(name, scenario), json_string_or(application, "application", ""),
                          interval_of(part));
        }
        chart_bar(chart, split(name, scenario), "mean", interval_of(mean));
    }
}

static void draw(const json_t *list, const json_t *means, json_t *result)
{
    struct group *groups;
    size_t count = find_groups(means, &groups);
    for (size_t i = 0; i < count; i++) {
        bool shares = false;
        for (size_t j = 0; j < count; j++)
            shares = shares || (j != i && groups[j].unit[0] == '%' && groups[i].unit[0] != '%' &&
                                strcmp(groups[j].unit, "%") != 0 &&
                                strcmp(groups[i].scenario, groups[j].scenario) == 0);
        if (!shares)
            add_chart(list, means, &groups[i], result);
    }
    free(groups);
}

enum status applications_predict(const json_t *list, const json_t *document, const struct model *model,
                                 const struct model_settings *settings, json_t **result, struct error *error)
{
    json_t *answers = json_array();
    enum status status = STATUS_OK;
    bool drawn = false;
    for (size_t i = 0; status == STATUS_OK && i < json_array_size(list); i++)
        status = predict_one(json_array_get(list, i), document, model, settings, answers, error);
    *result = json_pack("{s:o, s:o}", "applications", answers, "means", means_of(answers));
    simulated_take(*result, document);
    for (size_t i = 0; i < json_array_size(answers); i++)
        drawn = json_object_del(json_array_get(answers, i), "charts") == 0 || drawn;
    if (status == STATUS_OK && drawn)
        draw(answers, json_object_get(*result, "means"), *result);
    return status;
}

/* ---- as text ---- */

static void add_value(struct table *table, const json_t *part)
{
    if (part == NULL)
        table_cell(table, "-");
    else
        table_cell(table, "%.4g", json_number_or(part, "value", 0));
}

/* Names are others' text. */
__attribute__((format(printf, 2, 3))) static void write_text(FILE *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    visible_print(to, format, arguments);
    va_end(arguments);
}

static void print_group(const json_t *result, const struct group *group, FILE *to)
{
    const json_t *means = json_object_get(result, "means");
    const json_t *list = json_object_get(result, "applications");
    struct table table = table_of("application");
    char scenario[GROUP_BYTES];
    size_t i;
    size_t j;
    const json_t *mean;
    const json_t *application;
    json_array_foreach(means, j, mean) if (is_in(group, mean))
        table_add_column(&table, split(json_string_or(mean, "part", ""), scenario), TABLE_RIGHT);
    json_array_foreach(list, i, application)
    {
        table_cell(&table, "%s", json_string_or(application, "application", ""));
        json_array_foreach(means, j, mean) if (is_in(group, mean))
            add_value(&table, find_part(json_object_get(application, "parts"),
                                        json_string_or(mean, "part", ""), group->unit));
    }
    table_cell(&table, "mean");
    json_array_foreach(means, j, mean) if (is_in(group, mean)) add_value(&table, mean);
    write_text(to, "%s%s%s\n", group->scenario, group->scenario[0] == '\0' ? "" : ", ", group->unit);
    table_finish(&table, to);
}

/* Prints each sentence once, as most apply to all applications. */
static void print_notes(const json_t *list, FILE *to)
{
    json_t *seen = json_object();
    const json_t *application;
    const json_t *note;
    size_t i;
    size_t j;
    json_array_foreach(list, i, application)
        json_array_foreach(json_object_get(application, "notes"), j, note)
    {
        const char *text = json_string_value(note);
        if (text == NULL || json_object_get(seen, text) != NULL)
            continue;
        write_text(to, "%s%s\n", json_object_size(seen) == 0 ? "\n" : "", text);
        json_object_set_new(seen, text, json_true());
    }
    json_decref(seen);
}

void applications_print(const json_t *result, FILE *to)
{
    struct group *groups;
    size_t count = find_groups(json_object_get(result, "means"), &groups);
    const json_t *disbelief =
        json_object_get(json_array_get(json_object_get(result, "applications"), 0), "disbelief");
    for (size_t i = 0; i < json_array_size(disbelief); i++)
        write_text(to, "%s\n", json_string_value(json_array_get(disbelief, i)));
    for (size_t i = 0; i < count; i++) {
        write_text(to, "%s", i == 0 ? "" : "\n");
        print_group(result, &groups[i], to);
    }
    print_notes(json_object_get(result, "applications"), to);
    free(groups);
}
