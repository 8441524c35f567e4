#include "cli/applications.h"

#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/application_counters.h"
#include "runner/counters/import_formats.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char BEGIN[] = "application,";

bool applications_is(const char *path)
{
    char begin[sizeof BEGIN] = "";
    FILE *file = fopen(path, "r");
    bool good = file != NULL && fgets(begin, sizeof begin, file) != NULL && strcmp(begin, BEGIN) == 0;
    if (file != NULL)
        fclose(file);
    return good;
}

/* ---- a table ---- */

static bool is_setting_of(const struct model *model, const char *name)
{
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return true;
    return false;
}

struct rows {
    const struct model *model;
    const struct model_setting *told; /* by --set, which goes before any table */
    size_t told_count;
    char *names[IMPORT_FIELDS];
    size_t count;
};

static bool is_told(const struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->told_count; i++)
        if (strcmp(rows->told[i].name, name) == 0)
            return true;
    return false;
}

static enum status take_cell(const struct rows *rows, size_t column, const char *text, json_t *application,
                             struct error *error)
{
    double number;
    const char *name = rows->names[column];
    bool is_setting = is_setting_of(rows->model, name);
    if (text[strspn(text, " \t")] == '\0' || is_told(rows, name))
        return STATUS_OK;
    if (!units_parse_number(text, &number))
        return error_set(error, STATUS_USAGE,
                         "the cell '%.40s' of %.40s is no number; expected a number or nothing", text, name);
    json_object_set_new(json_object_get(application, is_setting ? "settings" : "counters"), name,
                        json_real(number));
    return STATUS_OK;
}

static enum status take_row(const struct rows *rows, char *line, json_t *list, struct error *error)
{
    char *fields[IMPORT_FIELDS];
    size_t found = import_split(line, ',', fields, IMPORT_FIELDS);
    enum status status = STATUS_OK;
    if (found > rows->count)
        return error_set(error, STATUS_USAGE, "%zu cells under %zu columns", found, rows->count);
    json_t *application =
        json_pack("{s:s%, s:{}, s:{}}", "application", fields[0], strlen(fields[0]), "counters", "settings");
    for (size_t i = 1; status == STATUS_OK && i < found; i++)
        status = take_cell(rows, i, fields[i], application, error);
    json_array_append_new(list, application);
    return status;
}

/* rows: its names are the text's own, and hold as long as this runs. */
static enum status read_table(const char *path, struct rows *rows, json_t *list, struct error *error)
{
    struct buffer text = {0};
    int number = 0;
    enum status status = file_read(path, &text, error);
    for (char *line = text.data; status == STATUS_OK && line != NULL && *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\0' ? NULL : end + 1;
        *end = '\0';
        line[strcspn(line, "\r")] = '\0';
        if (++number == 1)
            rows->count = import_split(line, ',', rows->names, IMPORT_FIELDS);
        else if (*line != '\0' && *line != '#')
            status = take_row(rows, line, list, error);
        line = next;
    }
    if (status != STATUS_OK && number > 0)
        error_at(error, path, number);
    buffer_free(&text);
    return status;
}

/* ---- files ---- */

/* The file's name without its folder, up to its first dot. */
static json_t *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t length = strcspn(name + (name[0] == '.'), ".") + (name[0] == '.');
    return json_stringn(name, length);
}

/* Files of one name are one application. Takes name. */
static void add_application(json_t *list, json_t *name, json_t *counters)
{
    json_t *application;
    size_t i;
    json_array_foreach(list, i,
                       application) if (json_equal(json_object_get(application, "application"), name))
    {
        json_object_update(json_object_get(application, "counters"), counters);
        json_decref(name);
        return;
    }
    json_array_append_new(
        list, json_pack("{s:o, s:O, s:{}}", "application", name, "counters", counters, "settings"));
}

/* Counters that hold for all go below those of an application's own. */
static void add_common(json_t *list, const json_t *common)
{
    json_t *application;
    size_t i;
    json_array_foreach(list, i, application)
    {
        json_t *counters = json_object_get(application, "counters");
        json_t *all = json_copy((json_t *)(uintptr_t)common);
        json_object_update(all, counters);
        json_object_set_new(application, "counters", all);
    }
}

static enum status take_file(const struct options *options, const char *path, const struct model *model,
                             struct model_settings *settings, json_t *list, json_t *common, json_t *warnings,
                             struct error *error)
{
    json_t *counters = json_object();
    enum status status =
        application_counters_read(path, options->columns, model, settings, counters, warnings, error);
    if (status == STATUS_OK && options->each && json_object_size(counters) > 0)
        add_application(list, name_of(path), counters);
    else if (status == STATUS_OK)
        json_object_update(common, counters);
    json_decref(counters);
    return status;
}

enum status applications_read(const struct options *options, const struct model *model,
                              struct model_settings *settings, json_t **list, json_t *warnings,
                              struct error *error)
{
    struct rows rows = {.model = model, .told = settings->items, .told_count = settings->count};
    json_t *common = json_object();
    enum status status = STATUS_OK;
    *list = json_array();
    for (size_t i = 1; status == STATUS_OK && i < options->input_count; i++)
        status = applications_is(options->inputs[i]) ? read_table(options->inputs[i], &rows, *list, error)
                                                     : take_file(options, options->inputs[i], model, settings,
                                                                 *list, common, warnings, error);
    add_common(*list, common);
    json_decref(common);
    if (status == STATUS_OK && json_array_size(*list) == 0) {
        status = error_set(error, STATUS_USAGE, "there is no application in these files");
        error_hint(error,
                   "expected a table application,COUNTER,... with a line for each, or files of counters and "
                   "--each");
    }
    return status;
}
