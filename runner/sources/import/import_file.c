/* Makes observations from a file of another tool: recognises its format, and maps its names. */
#include "runner/sources/import/import_file.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "generator/metric/metric.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/import/import_formats.h"
#include "runner/sources/import/import_numbers.h"
#include "runner/sources/import/import_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one value for each name of a file's rows ---- */

enum { WHY_BYTES = 160, SCOPES_NAMED = 5 };

/* The kernel of our own programs. */
static const char OWN_KERNEL[] = "trauma_kernel";

/* The beginning of the kernels with which runtimes copy and fill memory. */
static const char RUNTIME_KERNEL[] = "__amd_";

static const char SUMMARY[] = "summary";

/* ---- what --columns chooses ---- */

/* In the order of enum import_scope. */
static const struct {
    const char *name, *several;
} scopes[IMPORT_SCOPES] = {{"interval", "intervals"}, {"kernel", "kernels"}, {"process", "processes"},
                           {"device", "devices"},     {"core", "cores"},     {"cgroup", "cgroups"},
                           {"pmu", "PMUs"},           {"mode", "modes"}};

struct scope_choices {
    const char *scopes[IMPORT_SCOPES]; /* NULL: by rule */
    char decimal;                      /* 0: by rule */
};

static enum status read_choice(const char *name, const char *what, struct scope_choices *choices,
                               struct error *error)
{
    const char *names[IMPORT_SCOPES + 1] = {"decimal"};
    for (size_t i = 0; i < IMPORT_SCOPES; i++) {
        names[i + 1] = scopes[i].name;
        if (strcmp(scopes[i].name, name) == 0) {
            choices->scopes[i] = what;
            return STATUS_OK;
        }
    }
    bool decimal = strcmp(name, "decimal") == 0;
    choices->decimal = strcmp(what, "comma") == 0 ? ',' : '.';
    if (decimal && (choices->decimal == ',' || strcmp(what, "point") == 0))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--columns: @%.40s=%.40s is unknown", name, what);
    if (decimal)
        error_hint(error, "expected @decimal=point or @decimal=comma");
    else
        suggest_hint(error, name, names, IMPORT_SCOPES + 1, "expected @kernel=NAME or its like");
    return STATUS_USAGE;
}

static enum status read_choices(struct import *import, const char *columns, struct scope_choices *choices,
                                struct error *error)
{
    enum status status = STATUS_OK;
    char *copy = arena_strdup(&import->arena, columns == NULL ? "" : columns);
    for (char *rest = copy, *entry; status == STATUS_OK && (entry = strsep(&rest, ",")) != NULL;) {
        char *sign = strchr(entry, '=');
        if (entry[0] != '@')
            continue;
        if (sign == NULL)
            return error_set(error, STATUS_USAGE, "--columns expects @SCOPE=NAME, found '%.60s'", entry);
        *sign = '\0';
        status = read_choice(entry + 1, sign + 1, choices, error);
    }
    return status;
}

/* ---- scopes ---- */

/* Skips the type before a kernel's name and returns the length of the name without arguments and tools'
 * additions: "walk" for "void walk<int>(int*) [clone .kd]" and for CodeXL's "walk__k1_Hawaii1". */
static size_t bare_kernel(const char **name)
{
    static const char *const ends[] = {"(", "<", " ", ".kd"};
    if (strncmp(*name, "void ", 5) == 0)
        *name += 5;
    size_t length = strlen(*name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const char *end = strstr(*name, ends[i]);
        if (end != NULL && (size_t)(end - *name) < length)
            length = (size_t)(end - *name);
    }
    for (const char *at = *name; (at = strstr(at, "__k")) != NULL; at += 3) {
        size_t digits = strspn(at + 3, "0123456789");
        if (digits > 0 && at[3 + digits] == '_' && (size_t)(at - *name) < length)
            length = (size_t)(at - *name);
    }
    return length;
}

static bool is_named(enum import_scope scope, const char *label, const char *wanted)
{
    if (strcmp(label, wanted) == 0)
        return true;
    if (scope != IMPORT_KERNEL)
        return false;
    size_t length = bare_kernel(&label);
    return length == strlen(wanted) && strncmp(label, wanted, length) == 0;
}

static bool is_of_runtime(const char *kernel)
{
    return strncmp(kernel, RUNTIME_KERNEL, strlen(RUNTIME_KERNEL)) == 0;
}

/* The lines of a file, and which of them are kept. */
struct lines_kept {
    struct import *import;
    const struct scope_choices *choices;
    bool *kept;
    bool *counts; /* it has a number other than 0 */
};

/* Drops the lines with another label of that kind. */
static void keep_only(struct lines_kept *lines, enum import_scope scope, const char *wanted)
{
    for (size_t i = 0; i < lines->import->line_count; i++) {
        const char *label = lines->import->lines[i].scopes[scope];
        lines->kept[i] = lines->kept[i] && (label == NULL || is_named(scope, label, wanted));
    }
}

/* The distinct labels of kept lines that count, at most `most`; with without_runtime, except the runtime's
 * kernels. */
static size_t labels_of(const struct lines_kept *lines, enum import_scope scope, bool without_runtime,
                        const char **labels, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < lines->import->line_count && count < most; i++) {
        const char *label = lines->import->lines[i].scopes[scope];
        bool known = label == NULL || !lines->kept[i] || !lines->counts[i] ||
                     (without_runtime && is_of_runtime(label));
        for (size_t j = 0; !known && j < count; j++)
            known = strcmp(labels[j], label) == 0;
        if (!known)
            labels[count++] = label;
    }
    return count;
}

static const char *listed(struct import *import, const char *const *labels, size_t count)
{
    char text[3 * WHY_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < count && i < SCOPES_NAMED && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s", i == 0 ? "" : ", ", labels[i]);
    if (count > SCOPES_NAMED && used < sizeof text)
        snprintf(text + used, sizeof text - used, ", ...");
    return arena_strdup(&import->arena, text);
}

static enum status several(struct lines_kept *lines, enum import_scope scope, const char *const *labels,
                           size_t count, struct error *error)
{
    error_set(error, STATUS_USAGE, "%s has counters of several %s, which are not added: %s",
              lines->import->path, scopes[scope].several, listed(lines->import, labels, count));
    error_hint(error, "--columns @%s=NAME chooses one", scopes[scope].name);
    return STATUS_USAGE;
}

static enum status not_there(struct lines_kept *lines, enum import_scope scope, struct error *error)
{
    const char *labels[SCOPES_NAMED + 1];
    size_t count = labels_of(lines, scope, false, labels, SCOPES_NAMED + 1);
    error_set(error, STATUS_USAGE, "%s has no %s '%.60s'", lines->import->path, scopes[scope].name,
              lines->choices->scopes[scope]);
    if (count > 0)
        error_hint(error, "it has %s", listed(lines->import, labels, count));
    else
        error_hint(error, "its rows have none");
    return STATUS_USAGE;
}

static bool has(const struct lines_kept *lines, enum import_scope scope, const char *wanted)
{
    for (size_t i = 0; i < lines->import->line_count; i++) {
        const char *label = lines->import->lines[i].scopes[scope];
        if (lines->kept[i] && label != NULL && is_named(scope, label, wanted))
            return true;
    }
    return false;
}

/* Keeps the point's own kernel, or the only one that is not the runtime's, and records which are left out. */
static void choose_kernel(struct lines_kept *lines)
{
    const char *labels[2];
    const char *others[SCOPES_NAMED + 2];
    if (labels_of(lines, IMPORT_KERNEL, false, labels, 2) < 2)
        return;
    const char *own = OWN_KERNEL;
    if (!has(lines, IMPORT_KERNEL, own)) {
        if (labels_of(lines, IMPORT_KERNEL, true, labels, 2) != 1)
            return;
        own = labels[0];
    }
    size_t count = labels_of(lines, IMPORT_KERNEL, false, others, SCOPES_NAMED + 2);
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_named(IMPORT_KERNEL, others[i], own))
            others[left++] = others[i];
    lines->import->left_out = listed(lines->import, others, left);
    keep_only(lines, IMPORT_KERNEL, own);
}

/* Keeps the summary, which repeats the intervals' counts. Without a summary, intervals are parts of one
 * run. */
static void choose_interval(struct lines_kept *lines)
{
    const struct import *import = lines->import;
    const char *wanted = lines->choices->scopes[IMPORT_INTERVAL];
    bool summary = has(lines, IMPORT_INTERVAL, SUMMARY);
    bool timed = false;
    bool untimed = false;
    for (size_t i = 0; i < import->line_count; i++) {
        timed = timed || import->lines[i].scopes[IMPORT_INTERVAL] != NULL;
        untimed = untimed || import->lines[i].scopes[IMPORT_INTERVAL] == NULL;
    }
    if (wanted == NULL && !(timed && untimed) && !summary)
        return;
    for (size_t i = 0; i < import->line_count; i++) {
        const char *label = import->lines[i].scopes[IMPORT_INTERVAL];
        if (label == NULL)
            label = SUMMARY;
        lines->kept[i] = lines->kept[i] && strcmp(label, wanted == NULL ? SUMMARY : wanted) == 0;
    }
}

static enum status choose(struct lines_kept *lines, enum import_scope scope, enum import_use use,
                          struct error *error)
{
    const char *labels[SCOPES_NAMED + 1];
    const char *wanted = lines->choices->scopes[scope];
    if (wanted != NULL && !has(lines, scope, wanted) &&
        !(scope == IMPORT_INTERVAL && strcmp(wanted, SUMMARY) == 0))
        return not_there(lines, scope, error);
    if (scope == IMPORT_INTERVAL) {
        choose_interval(lines);
        return STATUS_OK;
    }
    if (wanted != NULL)
        keep_only(lines, scope, wanted);
    else if (scope == IMPORT_KERNEL && use == IMPORT_APPLICATION)
        return STATUS_OK;
    else if (scope == IMPORT_KERNEL)
        choose_kernel(lines);
    size_t count = labels_of(lines, scope, false, labels, SCOPES_NAMED + 1);
    if (count > 1)
        return several(lines, scope, labels, count, error);
    if (count == 1)
        keep_only(lines, scope, labels[0]);
    return STATUS_OK;
}

/* ---- values ---- */

static void spoil(struct import *import, struct import_value *value, const char *why)
{
    if (value->why == NULL)
        value->why = arena_strdup(&import->arena, why);
}

/* Takes the value's unit. Base units are accepted; percentages are averaged, not summed; the step of any
 * other unit depends on the tool, so that the value is unusable. */
static void take_unit(struct import *import, struct import_value *value, const char *unit)
{
    static const char *const stepped[] = {"Kbyte", "Mbyte", "Gbyte", "Tbyte", "K", "M", "G"};
    char why[WHY_BYTES];
    value->percent = value->percent || strcmp(unit, "%") == 0;
    for (size_t i = 0; i < sizeof stepped / sizeof stepped[0]; i++)
        if (strcmp(unit, stepped[i]) == 0) {
            snprintf(why, sizeof why, "in %s; record it with ncu --print-units base", unit);
            spoil(import, value, why);
        }
    if (value->unit != NULL && strcmp(value->unit, unit) != 0) {
        snprintf(why, sizeof why, "in '%.20s' and in '%.20s'", value->unit, unit);
        spoil(import, value, why);
    }
    value->unit = unit;
}

/* True for what tools write in place of a number. */
static bool is_absent(const char *text)
{
    static const char *const absent[] = {"",    "-",   "<not counted>", "<not supported>", "N/A", "n/a",
                                         "nan", "NaN", "null"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        if (strcmp(text, absent[i]) == 0)
            return true;
    return false;
}

/* True if the value's last line counts the same work as this one: then their numbers are not added. */
static bool is_again(const struct import *import, const struct import_value *value, unsigned line)
{
    if (value->last == 0)
        return false;
    const char *before = import->lines[value->last - 1].group;
    const char *now = import->lines[line].group;
    return value->last == line + 1 || (before != NULL && now != NULL && strcmp(before, now) == 0);
}

static void add_number(struct import *import, struct import_value *value, unsigned line, double number,
                       double share)
{
    char why[WHY_BYTES];
    if (number < 0) {
        spoil(import, value, "below 0, which is impossible for a count");
        return;
    }
    if (is_again(import, value, line)) {
        if (number != value->latest) {
            snprintf(why, sizeof why, "counted twice, as %.10g and %.10g", value->latest, number);
            spoil(import, value, why);
        }
        return;
    }
    if (!isfinite(value->value + number)) {
        spoil(import, value, "too large for a number");
        return;
    }
    value->value += number;
    value->rows++;
    value->counted = share < value->counted ? share : value->counted;
    value->last = line + 1;
    value->latest = number;
}

static void take_cell(struct import *import, const struct import_cell *cell, char decimal)
{
    struct import_value *value = &import->values[cell->value];
    const struct import_line *line = &import->lines[cell->line];
    char why[WHY_BYTES];
    double number;
    double share = 100;
    if (cell->unit != NULL)
        take_unit(import, value, cell->unit);
    if (cell->text == NULL)
        return;
    if (import_number(cell->text, decimal, &number)) {
        if (line->share != NULL &&
            (!import_number(line->share, decimal, &share) || share < 0 || share > 100)) {
            snprintf(why, sizeof why, "counted for '%.30s' %% of the time in line %d", line->share,
                     line->number);
            spoil(import, value, why);
            return;
        }
        add_number(import, value, cell->line, number, share / 100);
        return;
    }
    value->missing++;
    if (!is_absent(cell->text)) {
        snprintf(why, sizeof why, "'%.30s' in line %d cannot be read as a number", cell->text, line->number);
        spoil(import, value, why);
    }
}

static enum status settle(struct import *import, const struct scope_choices *choices, enum import_use use,
                          char decimal, struct error *error)
{
    struct lines_kept lines = {import, choices, memory_zeroed(import->line_count + 1, sizeof(bool)),
                               memory_zeroed(import->line_count + 1, sizeof(bool))};
    double number;
    for (size_t i = 0; i < import->line_count; i++)
        lines.kept[i] = true;
    for (size_t i = 0; i < import->cell_count; i++)
        if (import->cells[i].text != NULL && import_number(import->cells[i].text, decimal, &number) &&
            number != 0)
            lines.counts[import->cells[i].line] = true;
    enum status status = STATUS_OK;
    for (enum import_scope scope = 0; status == STATUS_OK && scope < IMPORT_SCOPES; scope++)
        status = choose(&lines, scope, use, error);
    for (size_t i = 0; status == STATUS_OK && i < import->cell_count; i++)
        if (lines.kept[import->cells[i].line])
            take_cell(import, &import->cells[i], decimal);
    free(lines.kept);
    free(lines.counts);
    /* A value that is missing in some rows was counted for a share of the time. */
    for (size_t i = 0; i < import->count; i++) {
        struct import_value *value = &import->values[i];
        double share = value->rows == 0 ? 1 : (double)value->rows / (double)(value->rows + value->missing);
        value->counted = share < value->counted ? share : value->counted;
    }
    return status;
}

enum status import_settle(struct import *import, const char *columns, enum import_use use,
                          struct error *error)
{
    struct scope_choices choices = {.decimal = '\0'};
    char decimal;
    enum status status = read_choices(import, columns, &choices, error);
    if (status == STATUS_OK)
        status = import_decimal_sign(import, choices.decimal, &decimal, error);
    return status == STATUS_OK ? settle(import, &choices, use, decimal, error) : status;
}

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

/* Splits the text into NUL-terminated lines without their ends. */
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

/* Removes the rows of a reader. */
static void forget_rows(struct import *import)
{
    import->tool = NULL;
    import->groups = false;
    import->count = import->line_count = import->cell_count = import->strays = 0;
}

enum status import_parse(const char *text, size_t size, const char *path, bool own, struct import *import,
                         struct error *error)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* the byte order mark that Windows puts before a text */
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

/* The value of an event, by the tool's name or one of the event's further names; NULL: missing. */
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

/* Reports a share outside of 0 to 1: counts of different scopes or dialects were mixed. */
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

/* Writes the unused values, "a, b, c and 12 more"; returns their number. */
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

/* Writes the used values that were counted for a part of the time, "a (50 %), b (20 %)"; returns their
 * number. */
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
