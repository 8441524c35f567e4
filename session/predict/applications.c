#include "session/predict/applications.h"

#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "runner/results/results.h"
#include "runner/sources/import/import_formats.h"
#include "session/predict/application_counters.h"

#include <stdio.h>
#include <string.h>

static const char BEGIN[] = "application,";

bool applications_is(const char *path)
{
    struct results_reader results;
    bool several = file_begins_with(path, BEGIN);
    if (!several && results_is_one(path)) {
        several = results_open(path, &results, NULL) == STATUS_OK && results.count > 1;
        results_reader_close(&results);
    }
    return several;
}

/* ---- a table ---- */

struct rows {
    const struct model *model;
    const struct model_setting *told; /* set on the command line, which overrides any table */
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
    json_t *list;
    double number;
    const char *name = rows->names[column];
    bool is_setting = model_setting_row(rows->model->settings, name);
    if (text[strspn(text, " \t")] == '\0' || is_told(rows, name))
        return STATUS_OK;
    if (!units_parse_number(text, &number))
        return error_set(error, STATUS_USAGE,
                         "the cell '%.40s' of %.40s is not a number; expected a number or nothing", text,
                         name);
    list = json_object_get(application, is_setting ? "settings" : "counters");
    if (json_object_get(list, name) != NULL && json_number_value(json_object_get(list, name)) != number)
        return error_set(error, STATUS_USAGE, "two columns are named %.60s, with the values %.10g and %.10g",
                         name, json_number_value(json_object_get(list, name)), number);
    json_object_set_new(list, name, json_real(number));
    return STATUS_OK;
}

static enum status take_row(const struct rows *rows, char *line, json_t *list, struct error *error)
{
    char *fields[IMPORT_FIELDS];
    size_t found = import_split(line, ',', fields, IMPORT_FIELDS);
    enum status status = STATUS_OK;
    if (found != rows->count)
        return error_set(error, STATUS_USAGE, "%zu cells under %zu columns", found, rows->count);
    json_t *application =
        json_pack("{s:s%, s:{}, s:{}}", "application", fields[0], strlen(fields[0]), "counters", "settings");
    for (size_t i = 1; status == STATUS_OK && i < found; i++)
        status = take_cell(rows, i, fields[i], application, error);
    json_array_append_new(list, application);
    return status;
}

static bool has_settings(const struct rows *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (model_setting_row(rows->model->settings, rows->names[i]))
            return true;
    return false;
}

/* rows: its names point into the text and are valid during this call. */
static enum status read_table(const char *path, struct rows *rows, json_t *list, struct error *error)
{
    struct buffer text = {0};
    int number = 0;
    enum status status = file_read_most(path, FILE_MOST_DATA, &text, error);
    for (char *line = text.data; status == STATUS_OK && line != NULL && *line != '\0';) {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\0' ? NULL : end + 1;
        *end = '\0';
        line[strcspn(line, "\r")] = '\0';
        if (++number == 1) {
            rows->count = import_split(line, ',', rows->names, IMPORT_FIELDS);
            for (size_t i = 1; status == STATUS_OK && i < rows->count; i++)
                status = model_check_name(rows->model, rows->names[i], has_settings(rows), error);
        } else if (*line != '\0' && *line != '#')
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

/* What files give for all applications. */
struct common {
    json_t *counters;
    const struct model_settings *settings; /* of the command line, then of files */
    size_t set;                            /* how many are of the command line */
};

static enum status contradicts(const char *application, const char *name, double own, double all,
                               struct error *error)
{
    error_set(error, STATUS_USAGE, "%.100s: %.60s is %.10g, but %.10g in a file that applies to all",
              application, name, own, all);
    error_hint(error, "remove the wrong one; for a setting, --set %.60s=NUMBER overrides all files", name);
    return STATUS_USAGE;
}

static enum status check_common(const json_t *application, const struct common *common, struct error *error)
{
    const json_t *counters = json_object_get(application, "counters");
    const json_t *own = json_object_get(application, "settings");
    const char *called = json_string_or(application, "application", "");
    const char *name;
    json_t *value;
    json_object_foreach(common->counters, name, value)
    {
        double here = json_number_or(counters, name, json_number_value(value));
        if (here != json_number_value(value))
            return contradicts(called, name, here, json_number_value(value), error);
    }
    for (size_t i = common->set; i < common->settings->count; i++) {
        const struct model_setting *setting = &common->settings->items[i];
        double here = json_number_or(own, setting->name, setting->value);
        if (here != setting->value)
            return contradicts(called, setting->name, here, setting->value, error);
    }
    return STATUS_OK;
}

/* Adds the counters for all to each application. */
static enum status add_common(json_t *list, const struct common *common, struct error *error)
{
    json_t *application;
    size_t i;
    enum status status = STATUS_OK;
    json_array_foreach(list, i, application)
    {
        if (status == STATUS_OK)
            status = check_common(application, common, error);
        json_object_update(json_object_get(application, "counters"), common->counters);
    }
    return status;
}

/* The inputs and outputs of reading. */
struct reading {
    const struct application_request *request;
    struct model_settings *settings;
    json_t *list, *common, *told;
    struct warnings *warnings;
};

static enum status take_file(const struct reading *reading, const char *path, struct error *error)
{
    json_t *counters = json_object();
    json_t *name = name_of(path);
    const struct application_file file = {path,
                                          reading->request->columns,
                                          reading->request->model,
                                          reading->request->each ? json_string_value(name) : "",
                                          reading->request->document,
                                          reading->told};
    enum status status =
        application_counters_read(&file, reading->settings, counters, reading->warnings, error);
    if (status == STATUS_OK && reading->request->each && json_object_size(counters) > 0)
        add_application(reading->list, json_incref(name), counters);
    else if (status == STATUS_OK)
        json_object_update(reading->common, counters);
    json_decref(name);
    json_decref(counters);
    return status;
}

enum status applications_read(const struct application_request *request, struct model_settings *settings,
                              json_t **list, struct warnings *warnings, struct error *error)
{
    struct rows rows = {.model = request->model, .told = settings->items, .told_count = settings->count};
    const struct common common = {json_object(), settings, settings->count};
    enum status status = STATUS_OK;
    *list = json_array();
    const struct reading reading = {request, settings, *list, common.counters, json_object(), warnings};
    for (size_t i = 0; status == STATUS_OK && i < request->count; i++) {
        const char *path = request->paths[i];
        if (!applications_is(path))
            status = take_file(&reading, path, error);
        else if (results_is_one(path))
            status =
                application_results_read(path, request->model, request->document, *list, warnings, error);
        else
            status = read_table(path, &rows, *list, error);
    }
    if (status == STATUS_OK)
        status = add_common(*list, &common, error);
    json_decref(common.counters);
    json_decref(reading.told);
    if (status == STATUS_OK && json_array_size(*list) == 0) {
        status = error_set(error, STATUS_USAGE, "these files contain no application");
        error_hint(error, "expected a table application,COUNTER,... with a line per application, or files of "
                          "counters with --each");
    }
    return status;
}
