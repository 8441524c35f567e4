#include "session/predict/application_counters.h"

#include "base/file.h"
#include "base/json.h"
#include "base/text/suggest.h"
#include "base/units.h"
#include "model/data/dataset.h"
#include "runner/results/results.h"
#include "runner/sources/import/import_file.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers in several files: each name must have one value ---- */

static const double SAME = 1e-12;

static enum status refuse(const struct file_number *before, double value, const char *file,
                          struct error *error)
{
    const char *between = before->scope[0] == '\0' ? "" : ": ";
    if (strcmp(before->file, file) == 0)
        error_set(error, STATUS_USAGE, "%s%s%.60s is both %.10g and %.10g in %.300s", before->scope, between,
                  before->name, before->value, value, file);
    else
        error_set(error, STATUS_USAGE, "%s%s%.60s is %.10g in %.300s and %.10g in %.300s", before->scope,
                  between, before->name, before->value, before->file, value, file);
    error_hint(error, "remove the wrong one; for a setting, --set %.60s=NUMBER overrides all files",
               before->name);
    return STATUS_USAGE;
}

static const struct file_number *stated_find(const struct file_numbers *stated, const char *scope,
                                             const char *name)
{
    for (size_t i = 0; i < stated->count; i++)
        if (strcmp(stated->items[i].name, name) == 0 && strcmp(stated->items[i].scope, scope) == 0)
            return &stated->items[i];
    return NULL;
}

/* Records the file's number. scope: an application's name; "": all. STATUS_USAGE, with both numbers and
 * files, if an earlier number differs. */
static enum status stated_add(struct file_numbers *stated, struct arena *arena, const char *scope,
                              const char *name, double value, const char *file, struct error *error)
{
    const struct file_number *before = stated_find(stated, scope, name);
    if (before != NULL)
        return fabs(before->value - value) > SAME * fmax(fabs(before->value), fabs(value))
                   ? refuse(before, value, file, error)
                   : STATUS_OK;
    stated->items = arena_next(arena, stated->items, stated->count, sizeof *stated->items);
    stated->items[stated->count++] = (struct file_number){
        arena_strdup(arena, scope), arena_strdup(arena, name), arena_strdup(arena, file), value};
    return STATUS_OK;
}

/* ---- names and numbers ---- */

enum { NAME_BYTES = 64 };

/* Reads "NAME,NUMBER"; name has NAME_BYTES. */
static bool read_pair(const char *line, char *name, double *number)
{
    char value[NAME_BYTES];
    char more;
    return sscanf(line, " %63[^,\r\n],%63[^,\r\n]%c", name, value, &more) >= 2 &&
           strchr(line, ',') == strrchr(line, ',') && units_parse_number(value, number);
}

/* The text behind the line, which ends in \n, \r\n or \r. */
static const char *behind_line(const char *text)
{
    text += strcspn(text, "\r\n");
    text += *text == '\r';
    return text + (*text == '\n');
}

/* Copies the line without its end, cut to the capacity, and returns its whole length. */
static size_t next_line(const char *text, char *copy, size_t capacity)
{
    size_t length = strcspn(text, "\r\n");
    snprintf(copy, capacity, "%.*s", (int)(length < capacity ? length : capacity - 1), text);
    return length;
}

/* The number of the first line that is not a pair; 0: all are. *status: STATUS_USAGE for a name with two
 * values. */
static int read_pairs(const char *text, const struct application_file *file, struct named_numbers *counters,
                      enum status *status, struct error *error)
{
    struct file_numbers stated = {0};
    int wrong = 0;
    *status = STATUS_OK;
    for (int number = 1; wrong == 0 && *text != '\0'; number++) {
        char line[2 * NAME_BYTES + 2];
        char name[NAME_BYTES];
        double value;
        size_t length = next_line(text, line, sizeof line);
        if (length > 0 && line[0] != '#') {
            if (length >= sizeof line || !read_pair(line, name, &value)) {
                wrong = number;
            } else {
                if (*status == STATUS_OK)
                    *status = stated_add(&stated, file->arena, "", name, value, file->path, error);
                named_number_set(counters, file->arena, name, value);
            }
        }
        text = behind_line(text);
    }
    return wrong;
}

/* ---- another tool's file ---- */

static enum status take_import(struct import *import, const struct application_file *file,
                               struct named_numbers *counters, struct sentences *warnings,
                               struct error *error)
{
    struct observations list = {0};
    enum status status = import_observe(import, file->columns, IMPORT_APPLICATION, &list, error);
    for (size_t i = 0; status == STATUS_OK && i < list.count; i++)
        named_number_set(counters, file->arena, list.items[i].metric, list.items[i].value);
    for (size_t i = 0; status == STATUS_OK && i < list.imported.count; i++)
        named_number_set(counters, file->arena, list.imported.items[i].name,
                         list.imported.items[i].interval.value);
    for (size_t i = 0; status == STATUS_OK && i < list.warnings.count; i++)
        sentence_add(warnings, file->arena, "%s; %s", list.warnings.items[i].what,
                     list.warnings.items[i].mend);
    observations_free(&list);
    return status;
}

/* ---- a table of the user's own ---- */

static enum status no_such_column(const struct import *table, const char *name, struct error *error)
{
    const char *names[IMPORT_VALUES_MOST];
    const struct import_value *value = import_find_value(table, name);
    for (size_t i = 0; i < table->count; i++)
        names[i] = table->values[i].name;
    if (value != NULL && value->why != NULL)
        return error_set(error, STATUS_USAGE, "%s: column \"%.60s\": %s", table->path, name, value->why);
    error_set(error, STATUS_USAGE, "%s has no column \"%.60s\" with a number", table->path, name);
    suggest_hint(error, name, names, table->count,
                 "--columns COLUMN=NAME names columns of the table's first line");
    return STATUS_USAGE;
}

/* A name may be written as importers take it, events.NAME. */
static enum status take_columns(struct import *table, const struct application_file *file,
                                struct named_numbers *counters, struct error *error)
{
    static const char prefix[] = "events.";
    char *copy = arena_strdup(&table->arena, file->columns);
    char *rest = copy;
    for (char *pair = strtok_r(copy, ",", &rest); pair != NULL; pair = strtok_r(NULL, ",", &rest)) {
        char *sign = strrchr(pair, '=');
        if (pair[0] == '@') /* of import_settle */
            continue;
        if (sign == NULL || sign == pair || sign[1] == '\0')
            return error_set(error, STATUS_USAGE, "--columns: expected COLUMN=NAME, found '%.60s'", pair);
        *sign++ = '\0';
        const struct import_value *column = import_find_value(table, pair);
        if (column == NULL || column->rows == 0 || column->why != NULL)
            return no_such_column(table, pair, error);
        if (strncmp(sign, prefix, strlen(prefix)) == 0)
            sign += strlen(prefix);
        if (named_number_find(counters, sign) != NULL)
            return error_set(error, STATUS_USAGE, "--columns names %.60s twice", sign);
        named_number_set(counters, file->arena, sign, column->value);
    }
    return STATUS_OK;
}

static enum status read_own(struct import *table, const struct application_file *file,
                            struct named_numbers *counters, struct error *error)
{
    enum status status = import_settle(table, file->columns, IMPORT_APPLICATION, error);
    return status == STATUS_OK ? take_columns(table, file, counters, error) : status;
}

/* ---- detecting the format ---- */

static enum status no_format(const char *path, const struct buffer *text, int line, struct error *error)
{
    const char *at = text->data;
    for (int i = 1; i < line; i++)
        at = behind_line(at);
    error_set(error, STATUS_USAGE, "'%.*s' is not a line NAME,NUMBER, and the file is not from a known tool",
              (int)strcspn(at, "\r\n") < 60 ? (int)strcspn(at, "\r\n") : 60, at);
    error_at(error, path, line);
    error_hint(error, "expected JSON, lines NAME,NUMBER, what perf stat -j or -x, ncu, rocprof or CodeXL "
                      "write, or a table and --columns COLUMN=NAME");
    return STATUS_USAGE;
}

/* True when the text is a JSON object of numbers; perf's own objects contain texts. */
static bool read_object(const struct buffer *text, const struct application_file *file,
                        struct named_numbers *counters)
{
    struct value object = value_none;
    bool plain = text->data[strspn(text->data, " \n\t\r")] == '{' &&
                 value_parse(text->data, text->size, file->arena, &object);
    for (size_t i = 0; i < object.count; i++)
        plain = plain && object.parts[i].value.kind == VALUE_NUMBER;
    for (size_t i = 0; plain && i < object.count; i++)
        named_number_set(counters, file->arena, object.parts[i].name, object.parts[i].value.number);
    return plain;
}

/* A tool's format, or a table; line: the first that is not a pair. */
static enum status read_foreign(const struct buffer *text, const struct application_file *file, int line,
                                struct named_numbers *counters, struct sentences *warnings,
                                struct error *error)
{
    struct import import = {.count = 0};
    enum status status =
        import_parse(text->data, text->size, file->path, file->columns != NULL, &import, error);
    if (status == STATUS_OK && import.tool != NULL)
        status = take_import(&import, file, counters, warnings, error);
    else if (status == STATUS_OK)
        status = read_own(&import, file, counters, error);
    else if (import.tool == NULL && file->columns == NULL)
        status = no_format(file->path, text, line, error);
    import_free(&import);
    return status;
}

static enum status read_text(const struct buffer *text, const struct application_file *file,
                             struct named_numbers *counters, struct sentences *warnings, bool *own,
                             struct error *error)
{
    *own = true;
    if (text->size == 0)
        return error_set(error, STATUS_USAGE, "%s is empty: it has no counters", file->path);
    if (read_object(text, file, counters))
        return STATUS_OK;
    struct named_numbers pairs = {0};
    enum status status;
    int wrong = read_pairs(text->data, file, &pairs, &status, error);
    if (wrong == 0)
        named_numbers_update(counters, file->arena, &pairs);
    *own = wrong == 0;
    return wrong == 0 ? status : read_foreign(text, file, wrong, counters, warnings, error);
}

/* ---- results of trauma run ---- */

/* The sum over the point's repetitions of a value by name. */
static double sum_of(const struct dataset *dataset, const char *name)
{
    double sum = 0;
    for (size_t i = 0; i < dataset->count; i++)
        sum += strcmp(name, "energy_j") == 0 ? dataset->rows[i].energy_j
                                             : dataset_number(&dataset->rows[i], name);
    return sum;
}

/* Where a point's counters are taken from, and where they are added. */
struct taking {
    const struct dataset *dataset;
    const struct model *model;
    struct named_numbers *counters;
    struct arena *arena;
};

static void take(const struct taking *taking, const char *name, double value)
{
    named_number_set(taking->counters, taking->arena, name, value);
}

static void take_mean(const struct taking *taking, const char *name, const char *as)
{
    double mean = sum_of(taking->dataset, name) / (double)taking->dataset->count;
    if (isfinite(mean))
        take(taking, as, mean);
}

/* Each copy's own counts, or equal parts where they were counted together. */
static void take_cores(const struct taking *taking, const char *as, double mean)
{
    const struct result_point *point = taking->dataset->points[0];
    size_t copies = point->reps[0].copies;
    for (size_t k = 0; k < copies; k++) {
        char key[NAME_BYTES];
        double own = k < point->copy_count ? result_value(&point->copies[k].counters, as).value : NAN;
        double passes = 0;
        for (size_t i = 0; i < point->rep_count && k < point->reps[i].threads.count; i++)
            passes += (double)point->reps[i].threads.items[k].iterations / (double)point->rep_count;
        snprintf(key, sizeof key, "core%zu.%s", k, as);
        take(taking, key, isfinite(own * passes) && passes > 0 ? own * passes : mean / (double)copies);
    }
}

/* An application's counts by logical processor. */
static void take_own_cores(const struct taking *taking, const struct result_application *application,
                           const char *as)
{
    for (size_t i = 0; i < application->core_count; i++) {
        char key[NAME_BYTES + 16];
        double value = result_value(&application->cores[i].counters, as).value;
        snprintf(key, sizeof key, "core%d.%s", application->cores[i].cpu, as);
        if (isfinite(value))
            take(taking, key, value);
    }
}

/* Accesses by level: those that the level served or, as processors count them, those that reached it. */
static void take_levels(const struct taking *taking)
{
    const struct dataset *dataset = taking->dataset;
    bool of_processors = taking->model->of_processors;
    static const char *const served[] = {"accesses.L1", "accesses.L2", "accesses.L3", "accesses.MEM"};
    static const char *const reached[] = {"l1d_accesses", "l1d_misses", "l2_misses", "l3_misses"};
    bool none = sum_of(dataset, "loads") == 0;
    double beyond = 0;
    for (size_t i = sizeof served / sizeof served[0]; i-- > 0;) {
        double here = none ? 0 : sum_of(dataset, served[i]) / (double)dataset->count;
        beyond += isfinite(here) ? here : 0;
        if (isfinite(here))
            take(taking, of_processors ? reached[i] : served[i], of_processors ? beyond : here);
    }
}

static void take_point(const struct taking *taking)
{
    const struct dataset *dataset = taking->dataset;
    static const char *const means[] = {"seconds",       "energy_j", "static_w",
                                        "temperature_c", "loads",    "stores"};
    const struct result_point *point = dataset->points[0];
    double clock = sum_of(dataset, "cycles") / sum_of(dataset, "seconds") / (double)point->reps[0].copies;
    for (size_t i = 0; i < sizeof means / sizeof means[0]; i++)
        take_mean(taking, means[i], means[i]);
    take_levels(taking);
    for (size_t i = 0; i < point->rates.count; i++)
        take_mean(taking, point->rates.items[i].metric, point->rates.items[i].metric);
    clock = isfinite(point->state.core.value)                                  ? point->state.core.value
            : isfinite(point->state.cpufreq.value) && point->application.given ? point->state.cpufreq.value
                                                                               : clock / 1e9;
    if (isfinite(clock))
        take(taking, "ghz", clock);
    struct named_numbers counts = {0};
    const struct taking own = {dataset, taking->model, &counts, taking->arena};
    take_mean(&own, "cycles", "cycles");
    take_mean(&own, "instructions", "instructions");
    for (size_t i = 0; i < point->counters.count; i++) {
        char name[NAME_BYTES + 8];
        snprintf(name, sizeof name, "counter.%s", point->counters.items[i].name);
        if (model_setting_row(taking->model->settings, point->counters.items[i].name) == NULL)
            take_mean(&own, name, point->counters.items[i].name);
    }
    for (size_t i = 0; i < counts.count; i++) {
        if (taking->model->by_core && point->application.core_count > 0)
            take_own_cores(taking, &point->application, counts.items[i].name);
        else if (taking->model->by_core)
            take_cores(taking, counts.items[i].name, counts.items[i].value);
        else
            take(taking, counts.items[i].name, counts.items[i].value);
    }
}

static void warn_of_machine(const char *path, const struct recorded_machine *machine,
                            const struct model_result *fitted, struct applications *list,
                            struct sentences *warnings)
{
    const char *here = machine->name == NULL ? "" : machine->name;
    const char *there = fitted->machine.name == NULL ? "" : fitted->machine.name;
    if (strcmp(here, there) != 0)
        sentence_add(warnings, list->arena,
                     "%s has results of %s, the model is of %s; fit a model to results of the same machine",
                     path, here, there);
}

static void add(struct applications *list, const struct application *application)
{
    list->items = arena_next(list->arena, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = *application;
}

/* Points without counters, such as idle ones, count as applications only if no point has counters. */
static void take_uncounted(const char *path, const struct application *uncounted, size_t count, size_t before,
                           struct applications *list, struct sentences *warnings)
{
    bool alone = list->count == before;
    for (size_t i = 0; alone && i < count; i++)
        add(list, &uncounted[i]);
    if (!alone && count > 0)
        sentence_add(
            warnings, list->arena,
            "%zu points of %s have no counters; they are left out; trauma run --counters perf counts", count,
            path);
}

enum status application_results_read(const char *path, const struct model *model,
                                     const struct model_result *fitted, struct applications *list,
                                     struct sentences *warnings, struct error *error)
{
    struct results_reader results;
    size_t before = list->count, uncounted_count = 0;
    struct application *uncounted = NULL;
    enum status status = results_open(path, &results, error);
    if (status == STATUS_OK)
        warn_of_machine(path, &results.context.machine, fitted, list, warnings);
    for (size_t i = 0; status == STATUS_OK && i < results.count; i++) {
        struct dataset dataset = {0};
        struct result_point read;
        status = result_point_load(&results, i, NULL, &read, error);
        if (status == STATUS_OK)
            dataset_add_point(&dataset, &read);
        if (dataset.count > 0 && dataset.rows[0].passes > 0) {
            const struct result_point *point = dataset.points[0];
            struct application application = {
                .name = arena_print(list->arena, "%s/%s", point->benchmark, point->name)};
            take_point(&(struct taking){&dataset, model, &application.counters, list->arena});
            if (point->counted) {
                add(list, &application);
            } else {
                uncounted = arena_next(list->arena, uncounted, uncounted_count, sizeof *uncounted);
                uncounted[uncounted_count++] = application;
            }
        }
        dataset_free(&dataset);
    }
    results_reader_close(&results);
    take_uncounted(path, uncounted, uncounted_count, before, list, warnings);
    if (status == STATUS_OK && list->count == before)
        return error_set(error, STATUS_USAGE, "no point of %s ran", path);
    return status;
}

/* ---- missing counters ---- */

/* The counter that follows "lack " in the message, without its core; false: there is none. */
static bool find_missing(const char *message, char name[NAME_BYTES])
{
    const char *at = strstr(message, "lack ");
    if (at == NULL)
        return false;
    at += strlen("lack ");
    if (strncmp(at, "core", 4) == 0 && strchr(at, '.') != NULL)
        at = strchr(at, '.') + 1;
    snprintf(name, NAME_BYTES, "%.*s", (int)strcspn(at, " ,;"), at);
    return name[0] != '\0';
}

static void print_command(const struct manifest_words *command, struct buffer *text)
{
    for (size_t i = 0; i < command->count; i++) {
        const char *word = command->items[i];
        bool plain =
            word[0] != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                 "0123456789-_./=,:+%@")] == '\0';
        buffer_text(text, plain ? " " : " '");
        for (const char *at = word; *at != '\0'; at++)
            buffer_printf(text, *at == '\'' ? "'\\''" : "%c", *at);
        buffer_text(text, plain ? "" : "'");
    }
}

/* How to provide an input that is not a counter; NULL: it is a counter. */
static const char *other_way(const char *missing)
{
    static const struct {
        const char *name, *way;
    } ways[] = {{"temperature_c", "`trauma sensors` lists thermometers and what enables them"},
                {"ghz", "no clock is reported here; a further file with the line ghz,NUMBER states it"},
                {"energy_j", "`trauma sensors` lists sensors of power and what enables them"}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(missing, ways[i].name) == 0)
            return ways[i].way;
    return NULL;
}

void application_hint(const char *path, struct error *error)
{
    char missing[NAME_BYTES];
    struct results_reader results;
    struct buffer text = {0};
    if (!find_missing(error->message, missing) || !results_is_one(path))
        return;
    struct result_point point;
    if (results_open(path, &results, NULL) == STATUS_OK && results.count > 0 &&
        result_point_load(&results, results.count - 1, NULL, &point, NULL) == STATUS_OK) {
        print_command(&point.application.command, &text);
        if (point.application.given && other_way(missing) != NULL)
            error_hint(error, "%s", other_way(missing));
        else if (point.application.given)
            error_hint(error, "trauma record --counters perf,%s -o again.jsonl --%s", missing, text.data);
        result_point_free(&point);
    }
    results_reader_close(&results);
    buffer_free(&text);
}

/* ---- settings ---- */

static bool is_set(const struct model_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].name, name) == 0)
            return true;
    return false;
}

/* Adds the numbers found to settings or counters. own: the file has names and numbers, not a tool's format.
 * Settings get the model's own names, as the file's text is freed; those of the command line take precedence.
 */
static enum status move_settings(const struct application_file *file, const struct named_numbers *found,
                                 bool own, struct model_settings *settings, struct named_numbers *counters,
                                 struct error *error)
{
    enum status status = STATUS_OK;
    bool beside_settings = false;
    for (size_t i = 0; i < found->count; i++)
        beside_settings = beside_settings ||
                          (own && model_setting_row(file->model->settings, found->items[i].name) != NULL);
    for (size_t i = 0; i < found->count; i++) {
        const char *name = found->items[i].name;
        double number = found->items[i].value;
        const struct model_setting_row *row = model_setting_row(file->model->settings, name);
        status = model_check_name(file->model, name, beside_settings, error);
        if (status != STATUS_OK) {
            error_prefix(error, "%s", file->path);
            return status;
        }
        if (row != NULL && is_set(settings, name) && stated_find(file->stated, "", name) == NULL)
            continue;
        const struct model_settings one = {.items = {{row == NULL ? "" : row->name, number}},
                                           .count = row != NULL};
        status = model_check_settings(file->model, &one, true, error);
        if (status == STATUS_OK)
            status = stated_add(file->stated, file->arena, row == NULL ? file->scope : "", name, number,
                                file->path, error);
        if (status != STATUS_OK)
            return status;
        if (row == NULL)
            named_number_set(counters, file->arena, name, number);
        else if (!is_set(settings, name)) {
            if (settings->count == MODEL_SETTINGS)
                return error_set(error, STATUS_USAGE, "more than %d settings", MODEL_SETTINGS);
            settings->items[settings->count++] = (struct model_setting){row->name, number};
        }
    }
    return status;
}

enum status application_counters_read(const struct application_file *file, struct model_settings *settings,
                                      struct named_numbers *counters, struct sentences *warnings,
                                      struct error *error)
{
    struct buffer text = {0};
    struct named_numbers found = {0};
    struct applications points = {.arena = file->arena};
    bool own = false, results = results_is_one(file->path);
    enum status status =
        results ? application_results_read(file->path, file->model, file->fitted, &points, warnings, error)
                : file_read_most(file->path, FILE_MOST_DATA, &text, error);
    if (status == STATUS_OK && results && points.count > 1)
        status =
            error_set(error, STATUS_USAGE, "%s has %zu points, and counters for all are one application's",
                      file->path, points.count);
    else if (status == STATUS_OK && results)
        found = points.items[0].counters;
    else if (status == STATUS_OK)
        status = read_text(&text, file, &found, warnings, &own, error);
    if (status == STATUS_OK)
        status = move_settings(file, &found, own, settings, counters, error);
    buffer_free(&text);
    return status;
}
