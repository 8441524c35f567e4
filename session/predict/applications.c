#include "session/predict/applications.h"

#include "base/file.h"
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

static struct application *add(struct applications *list, const char *name)
{
    list->items = arena_next(list->arena, list->items, list->count, sizeof *list->items);
    struct application *application = &list->items[list->count++];
    *application = (struct application){.name = arena_strdup(list->arena, name)};
    return application;
}

/* ---- a table ---- */

struct rows {
    const struct model *model;
    const struct model_setting *set; /* on the command line, which overrides any table */
    size_t set_count;
    char *names[IMPORT_FIELDS];
    size_t count;
};

static bool is_set(const struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->set_count; i++)
        if (strcmp(rows->set[i].name, name) == 0)
            return true;
    return false;
}

static enum status take_cell(const struct rows *rows, size_t column, const char *text,
                             struct application *application, struct arena *arena, struct error *error)
{
    double number;
    const char *name = rows->names[column];
    bool is_setting = model_setting_row(rows->model->settings, name);
    if (text[strspn(text, " \t")] == '\0' || is_set(rows, name))
        return STATUS_OK;
    if (!units_parse_number(text, &number))
        return error_set(error, STATUS_USAGE,
                         "the cell '%.40s' of %.40s is not a number; expected a number or nothing", text,
                         name);
    struct named_numbers *list = is_setting ? &application->settings : &application->counters;
    const struct named_number *before = named_number_find(list, name);
    if (before != NULL && before->value != number)
        return error_set(error, STATUS_USAGE, "two columns are named %.60s, with the values %.10g and %.10g",
                         name, before->value, number);
    named_number_set(list, arena, name, number);
    return STATUS_OK;
}

static enum status take_row(const struct rows *rows, char *line, struct applications *list,
                            struct error *error)
{
    char *fields[IMPORT_FIELDS];
    size_t found = import_split(line, ',', fields, IMPORT_FIELDS);
    enum status status = STATUS_OK;
    if (found != rows->count)
        return error_set(error, STATUS_USAGE, "%zu cells under %zu columns", found, rows->count);
    struct application *application = add(list, fields[0]);
    for (size_t i = 1; status == STATUS_OK && i < found; i++)
        status = take_cell(rows, i, fields[i], application, list->arena, error);
    return status;
}

static bool has_settings(const struct rows *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (model_setting_row(rows->model->settings, rows->names[i]))
            return true;
    return false;
}

/* Reads a table. rows->names point into its text and are valid only during this call. */
static enum status read_table(const char *path, struct rows *rows, struct applications *list,
                              struct error *error)
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
static const char *name_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t length = strcspn(name + (name[0] == '.'), ".") + (name[0] == '.');
    return arena_print(arena, "%.*s", (int)length, name);
}

/* Adds the counters to the application of that name, which several files may have. */
static void add_application(struct applications *list, const char *name, const struct named_numbers *counters)
{
    struct application *application = NULL;
    for (size_t i = 0; i < list->count && application == NULL; i++)
        if (strcmp(list->items[i].name, name) == 0)
            application = &list->items[i];
    application = application == NULL ? add(list, name) : application;
    named_numbers_update(&application->counters, list->arena, counters);
}

/* Counters and settings for all applications. */
struct common {
    struct named_numbers counters;
    const struct model_settings *settings; /* those of the command line, then those of files */
    size_t set;                            /* number of those of the command line */
};

static enum status contradicts(const char *application, const char *name, double own, double all,
                               struct error *error)
{
    error_set(error, STATUS_USAGE, "%.100s: %.60s is %.10g, but %.10g in a file that applies to all",
              application, name, own, all);
    error_hint(error, "remove the wrong one; for a setting, --set %.60s=NUMBER overrides all files", name);
    return STATUS_USAGE;
}

static enum status check_common(const struct application *application, const struct common *common,
                                struct error *error)
{
    for (size_t i = 0; i < common->counters.count; i++) {
        const struct named_number *all = &common->counters.items[i];
        const struct named_number *own = named_number_find(&application->counters, all->name);
        if (own != NULL && own->value != all->value)
            return contradicts(application->name, all->name, own->value, all->value, error);
    }
    for (size_t i = common->set; i < common->settings->count; i++) {
        const struct model_setting *setting = &common->settings->items[i];
        const struct named_number *own = named_number_find(&application->settings, setting->name);
        if (own != NULL && own->value != setting->value)
            return contradicts(application->name, setting->name, own->value, setting->value, error);
    }
    return STATUS_OK;
}

/* Adds the counters for all to each application. */
static enum status add_common(struct applications *list, const struct common *common, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < list->count; i++) {
        status = check_common(&list->items[i], common, error);
        named_numbers_update(&list->items[i].counters, list->arena, &common->counters);
    }
    return status;
}

/* The inputs and outputs of reading. */
struct reading {
    const struct application_request *request;
    struct model_settings *settings;
    struct applications *list;
    struct common *common;
    struct file_numbers *stated;
    struct sentences *warnings;
};

static enum status take_file(const struct reading *reading, const char *path, struct error *error)
{
    struct arena *arena = reading->list->arena;
    struct named_numbers counters = {0};
    const char *name = name_of(path, arena);
    const struct application_file file = {path,
                                          reading->request->columns,
                                          reading->request->model,
                                          reading->request->each ? name : "",
                                          reading->request->fitted,
                                          reading->stated,
                                          arena};
    enum status status =
        application_counters_read(&file, reading->settings, &counters, reading->warnings, error);
    if (status == STATUS_OK && reading->request->each && counters.count > 0)
        add_application(reading->list, name, &counters);
    else if (status == STATUS_OK)
        named_numbers_update(&reading->common->counters, arena, &counters);
    return status;
}

enum status applications_read(const struct application_request *request, struct model_settings *settings,
                              struct applications *list, struct sentences *warnings, struct error *error)
{
    struct rows rows = {.model = request->model, .set = settings->items, .set_count = settings->count};
    struct common common = {.settings = settings, .set = settings->count};
    struct file_numbers stated = {0};
    enum status status = STATUS_OK;
    const struct reading reading = {request, settings, list, &common, &stated, warnings};
    for (size_t i = 0; status == STATUS_OK && i < request->count; i++) {
        const char *path = request->paths[i];
        if (!applications_is(path))
            status = take_file(&reading, path, error);
        else if (results_is_one(path))
            status = application_results_read(path, request->model, request->fitted, list, warnings, error);
        else
            status = read_table(path, &rows, list, error);
    }
    if (status == STATUS_OK)
        status = add_common(list, &common, error);
    if (status == STATUS_OK && list->count == 0) {
        status = error_set(error, STATUS_USAGE, "these files contain no application");
        error_hint(error, "expected a table application,COUNTER,... with a line per application, or files of "
                          "counters with --each");
    }
    return status;
}
