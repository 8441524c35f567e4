/* Turns a file of another tool into observations: recognises its format, and maps its names. */
#include "runner/sources/import/import_file.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "generator/metric/metric.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/import/import_formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MOST = 8, TEXT_BYTES = 400, METRICS_MOST = 64 };

static const char COUNT[] = "events.";

/* ---- values ---- */

static bool is_usable(const struct import_value *value)
{
    return value->rows > 0 && value->why == NULL;
}

static double number_of(const struct import_value *value)
{
    return value->percent ? value->value / (double)value->rows : value->value;
}

/* ---- reading ---- */

/* Lines of the text, NUL-terminated, their ends cut off. */
static char **cut_lines(struct arena *arena, const char *text, size_t size, size_t *count)
{
    char *copy = arena_alloc(arena, size + 1, 1);
    size_t ends = 1;
    for (size_t i = 0; i < size; i++) {
        copy[i] = text[i] == '\0' ? ' ' : text[i];
        ends += text[i] == '\n';
    }
    char **lines = arena_alloc(arena, ends, sizeof *lines);
    *count = 0;
    for (char *line = copy; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL)
            *end++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        lines[(*count)++] = line;
        line = end;
    }
    return lines;
}

static enum status no_format(const struct import *import, char **lines, size_t count, struct error *error)
{
    const char *first = "";
    for (size_t i = 0; i < count && first[0] == '\0'; i++)
        first = lines[i];
    error_set(error, STATUS_USAGE, "no counters were found; the file begins with \"%.60s\"", first);
    error_at(error, import->path, 0);
    error_hint(error, "expected the output of perf stat -j or -x, or the CSV of ncu, rocprof or CodeXL, with "
                      "fields separated by , ; | or a tab");
    return STATUS_USAGE;
}

static import_reader *const readers[] = {import_perf_json, import_long, import_wide, import_perf_text,
                                         import_own};

/* Forgets what a reader took for its own. */
static void forget_rows(struct import *import)
{
    import->tool = NULL;
    import->groups = false;
    import->count = import->line_count = import->cell_count = import->strays = 0;
}

enum status import_parse(const char *text, size_t size, const char *path, bool own, struct import *import,
                         struct error *error)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* of byte order, which Windows puts before a text */
    *import = (struct import){.count = 0};
    import->path = arena_strdup(&import->arena, path);
    if (size >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0)) {
        error_set(error, STATUS_USAGE, "%s is UTF-16 text", path);
        error_hint(error, "convert it: iconv -f UTF-16 -t UTF-8");
        return STATUS_USAGE;
    }
    size_t count;
    size_t skipped = size >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    char **lines = cut_lines(&import->arena, text + skipped, size - skipped, &count);
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        struct error fault = {.code = STATUS_OK};
        forget_rows(import);
        if ((own || readers[i] != import_own) && readers[i](lines, count, import, &fault) &&
            (import->count > 0 || fault.code != STATUS_OK)) {
            if (fault.code != STATUS_OK && error != NULL)
                *error = fault;
            return fault.code;
        }
    }
    forget_rows(import);
    return no_format(import, lines, count, error);
}

enum status import_read(const char *path, struct import *import, struct error *error)
{
    struct buffer text = {0};
    *import = (struct import){.count = 0};
    enum status status = file_read_most(path, FILE_MOST_DATA, &text, error);
    if (status == STATUS_OK)
        status = import_parse(text.size == 0 ? "" : text.data, text.size, path, false, import, error);
    buffer_free(&text);
    return status;
}

/* ---- evaluating the values ---- */

static void add_observation(struct observations *list, const struct import *import, const char *metric,
                            double value, double n, double counted)
{
    double unseen = (1 - counted) * fabs(value);
    double most = metric_is_share(metric) ? fmax(1, value) : HUGE_VAL;
    observations_add(list, metric, import->tool, EVIDENCE_MEASURED, value, value - unseen,
                     fmin(value + unseen, most), n);
    list->items[list->count - 1].counted = counted;
}

/* The value of an event by the tool's name, or one of its further names; NULL: missing. */
static struct import_value *value_of(struct import *import, const struct event *event)
{
    const struct import_value *value = import_find_value(import, event->code);
    char names[TEXT_BYTES];
    snprintf(names, sizeof names, "%s", event->rest);
    char *rest = names;
    for (char *name = strtok_r(names, " \t", &rest); value == NULL && name != NULL;
         name = strtok_r(NULL, " \t", &rest))
        value = import_find_value(import, name);
    return value == NULL ? NULL : &import->values[value - import->values];
}

struct known {
    double counts[EVENT_TABLE_EVENTS];
    double counted[EVENT_TABLE_EVENTS]; /* 0: missing */
};

static void find_known(const struct event_table *table, struct import *import, struct known *known)
{
    for (size_t i = 0; i < table->event_count; i++) {
        struct import_value *value = value_of(import, &table->events[i]);
        if (value == NULL || !is_usable(value))
            continue;
        value->percent = value->percent || table->events[i].percent;
        value->known = true;
        known->counts[i] = number_of(value);
        known->counted[i] = value->counted;
    }
}

/* Nothing measured is outside of what it can be: the counts of another scope or dialect came in. */
static enum status impossible(const struct event_table *table, const struct event_ratio *ratio,
                              const struct known *known, const struct import *import, double value,
                              struct error *error)
{
    char counts[TEXT_BYTES];
    size_t used = 0;
    const struct event_sum *const sums[] = {&ratio->over, &ratio->under};
    counts[0] = '\0';
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < sums[i]->count; j++) {
            int event = sums[i]->terms[j].event;
            char one[TEXT_BYTES];
            if (event < 0)
                continue;
            snprintf(one, sizeof one, "%.100s = %.10g", table->events[event].code, known->counts[event]);
            if (strstr(counts, one) == NULL && used < sizeof counts)
                used +=
                    (size_t)snprintf(counts + used, sizeof counts - used, "%s%s", used == 0 ? "" : ", ", one);
        }
    error_set(error, STATUS_USAGE, "%s: %s would be %.6g, which is not from 0 to 1: %s", import->path,
              ratio->metric, value, counts);
    error_hint(error, "these are not counts of the same work; remove the one that is wrong");
    return STATUS_USAGE;
}

static const double ROUNDING = 1e-9;

static enum status observe_known(const struct event_table *table, const struct known *known,
                                 const struct import *import, struct observations *list, size_t *found,
                                 struct error *error)
{
    *found = 0;
    for (size_t i = 0; i < table->total_count; i++)
        if (event_sum_counted(&table->totals[i].sum, known->counted, 1) > 0) {
            observations_import(list, import->tool, file_base_name(import->path), table->totals[i].name,
                                event_sum_value(&table->totals[i].sum, known->counts));
            ++*found;
        }
    for (size_t i = 0; i < table->ratio_count; i++) {
        const struct event_ratio *ratio = &table->ratios[i];
        double counted = event_sum_counted(&ratio->over, known->counted,
                                           event_sum_counted(&ratio->under, known->counted, 1));
        double under = ratio->under.count == 0 ? 1 : event_sum_value(&ratio->under, known->counts);
        double value = event_sum_value(&ratio->over, known->counts) / under;
        if (!(counted > 0 && under > 0 && isfinite(value)) ||
            observations_find(list, ratio->metric, import->tool) != NULL)
            continue;
        if (metric_is_share(ratio->metric) && !(value >= -ROUNDING && value <= 1 + ROUNDING))
            return impossible(table, ratio, known, import, value, error);
        add_observation(list, import, ratio->metric, value, under, counted);
    }
    return STATUS_OK;
}

/* ---- columns that the user maps ---- */

/* True for the metrics that a column may be mapped to. */
static bool is_metric(const char *name)
{
    return metric_is_seen_by(name, "import", METRIC_GROUNDS);
}

struct metric_list {
    struct arena arena;
    const char *names[METRICS_MOST];
    size_t count;
};

static void add_name(const char *name, void *context)
{
    struct metric_list *list = context;
    if (is_metric(name) && list->count < METRICS_MOST)
        list->names[list->count++] = arena_strdup(&list->arena, name);
}

static enum status no_such_metric(const char *column, const char *metric, struct error *error)
{
    struct metric_list known = {.count = 0};
    metric_each_name(add_name, &known);
    error_set(error, STATUS_USAGE, "--columns maps \"%s\" to \"%s\", which is not a metric", column, metric);
    suggest_hint(error, metric, known.names, known.count, "expected a metric such as ipc or events.NAME");
    arena_free(&known.arena);
    return STATUS_USAGE;
}

static enum status no_such_column(const struct import *import, const char *column, struct error *error)
{
    const char *names[IMPORT_VALUES_MOST];
    for (size_t i = 0; i < import->count; i++)
        names[i] = import->values[i].name;
    error_set(error, STATUS_USAGE, "%s has no \"%s\"", import->path, column);
    suggest_hint(error, column, names, import->count, "expected one of its names, as --columns NAME=METRIC");
    return STATUS_USAGE;
}

static enum status take_column(struct import *import, const char *column, const char *metric,
                               struct observations *list, struct error *error)
{
    const struct import_value *found = import_find_value(import, column);
    if (found == NULL)
        found = import_find_value(import, import_event_name(&import->arena, column));
    if (found == NULL)
        return no_such_column(import, column, error);
    struct import_value *value = &import->values[found - import->values];
    if (!is_metric(metric))
        return no_such_metric(column, metric, error);
    if (!is_usable(value)) {
        error_set(error, STATUS_USAGE, "\"%s\" in %s has no usable number%s%s", column, import->path,
                  value->why == NULL ? "" : ": ", value->why == NULL ? "" : value->why);
        return STATUS_USAGE;
    }
    value->known = true;
    double number = number_of(value);
    if (metric_is_share(metric) && value->percent)
        number /= 100;
    if (strncmp(metric, COUNT, strlen(COUNT)) == 0) {
        observations_import(list, import->tool, file_base_name(import->path), metric + strlen(COUNT), number);
        return STATUS_OK;
    }
    if (metric_is_share(metric) && !(number >= 0 && number <= 1)) {
        error_set(error, STATUS_USAGE, "\"%s\" is %g, but %s must be from 0 to 1", column, number, metric);
        error_hint(error, "a rate needs a second count to divide by; map this one as %s=events.NAME", column);
        return STATUS_USAGE;
    }
    add_observation(list, import, metric, number, (double)value->rows, value->counted);
    return STATUS_OK;
}

/* "NAME=METRIC,NAME=METRIC"; each is split at its last =, as some tools' names contain one. */
static enum status take_columns(struct import *import, const char *columns, struct observations *list,
                                struct error *error)
{
    char *copy = arena_strdup(&import->arena, columns);
    char *rest = copy;
    enum status status = STATUS_OK;
    for (char *pair = strtok_r(copy, ",", &rest); pair != NULL && status == STATUS_OK;
         pair = strtok_r(NULL, ",", &rest)) {
        if (pair[0] == '@') /* of import_settle */
            continue;
        char *sign = strrchr(pair, '=');
        if (sign == NULL || sign == pair || sign[1] == '\0') {
            error_set(error, STATUS_USAGE, "--columns expects NAME=METRIC, found '%s'", pair);
            error_hint(error, "for example --columns TCC_HIT_sum=events.l2_hits");
            return STATUS_USAGE;
        }
        *sign = '\0';
        status = take_column(import, pair, sign + 1, list, error);
    }
    return status;
}

/* ---- the whole import ---- */

/* "a, b, c and 12 more" of the unused values; returns their number. */
static size_t list_unknown(const struct import *import, char *text, size_t capacity)
{
    size_t used = 0;
    size_t unknown = 0;
    text[0] = '\0';
    for (size_t i = 0; i < import->count; i++) {
        const struct import_value *value = &import->values[i];
        if (value->known)
            continue;
        if (unknown++ < NAMED_MOST && used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, "%s%.60s%s%s%s", used == 0 ? "" : ", ",
                                     value->name, value->why != NULL || value->rows == 0 ? " (" : "",
                                     value->why != NULL ? value->why
                                     : value->rows == 0 ? "not counted"
                                                        : "",
                                     value->why != NULL || value->rows == 0 ? ")" : "");
    }
    if (unknown > NAMED_MOST && used < capacity)
        snprintf(text + used, capacity - used, " and %zu more", unknown - NAMED_MOST);
    return unknown;
}

static void warn(struct observations *list, const struct import *import, const char *mend, const char *format,
                 const char *names)
{
    char what[3 * TEXT_BYTES];
    snprintf(what, sizeof what, format, names);
    warning_add(&list->warnings, mend, "%.200s: %s", file_base_name(import->path), what);
}

/* "a (50 %), b (20 %)" of used values that were not counted all of the time; returns their number. */
static size_t list_shares(const struct import *import, char *text, size_t capacity)
{
    size_t used = 0;
    size_t count = 0;
    for (size_t i = 0; i < import->count; i++) {
        const struct import_value *value = &import->values[i];
        if (value->known && value->counted < 1 && count++ < NAMED_MOST && used < capacity)
            used += (size_t)snprintf(text + used, capacity - used, "%s%.60s (%.3g %%)", used == 0 ? "" : ", ",
                                     value->name, 100 * value->counted);
    }
    return count;
}

static void warn_of_rest(const struct import *import, struct observations *list)
{
    char names[2 * TEXT_BYTES];
    char stray[TEXT_BYTES];
    if (list_unknown(import, names, sizeof names) > 0)
        warn(list, import, "--columns NAME=METRIC maps a name", "unused: %s", names);
    if (list_shares(import, names, sizeof names) > 0)
        warn(list, import, "count fewer events at a time",
             "counted for a share of the time and extrapolated from it: %s", names);
    if (import->left_out != NULL)
        warn(list, import, "--columns @kernel=NAME chooses another kernel", "left out: %s", import->left_out);
    snprintf(stray, sizeof stray, "%d", import->stray);
    if (import->strays > 0)
        warn(list, import, "remove them", "some lines are not perf's and were left out, the first is line %s",
             stray);
}

enum status import_observe(struct import *import, const char *columns, enum import_use use,
                           struct observations *list, struct error *error)
{
    struct event_table *table = memory_zeroed(1, sizeof *table);
    struct known *known = memory_zeroed(1, sizeof *known);
    size_t before = list->count;
    size_t found = 0;
    enum status status = import_settle(import, columns, use, error);
    if (status == STATUS_OK)
        status = event_folder_import(import->tool, table, error);
    if (status == STATUS_OK && columns != NULL)
        status = take_columns(import, columns, list, error);
    if (status == STATUS_OK) {
        find_known(table, import, known);
        status = observe_known(table, known, import, list, &found, error);
    }
    event_table_free(table);
    free(table);
    free(known);
    if (status == STATUS_OK && found == 0 && list->count == before && list->tool == NULL) {
        char names[TEXT_BYTES];
        list_unknown(import, names, sizeof names);
        error_set(error, STATUS_USAGE, "%s is from %s, but none of its names is known: %s", import->path,
                  import->tool, names);
        error_hint(error, "--columns NAME=METRIC maps a name");
        return STATUS_USAGE;
    }
    if (status == STATUS_OK)
        warn_of_rest(import, list);
    return status;
}
