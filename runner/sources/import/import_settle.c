#include "runner/sources/import/import_settle.h"

#include "base/memory.h"
#include "base/text/suggest.h"
#include "runner/sources/import/import_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 160, NAMED_MOST = 5 };

/* What our own programs call their kernel. */
static const char OWN_KERNEL[] = "trauma_kernel";

/* Kernels with which runtimes copy and fill memory. */
static const char RUNTIME_KERNEL[] = "__amd_";

static const char SUMMARY[] = "summary";

/* ---- what the user asks for ---- */

/* In the order of enum import_scope. */
static const struct {
    const char *name, *several;
} scopes[IMPORT_SCOPES] = {{"interval", "intervals"}, {"kernel", "kernels"}, {"process", "processes"},
                           {"device", "devices"},     {"core", "cores"},     {"cgroup", "cgroups"},
                           {"pmu", "PMUs"},           {"mode", "modes"}};

struct scopes_wanted {
    const char *scopes[IMPORT_SCOPES]; /* NULL: by rule */
    char decimal;                      /* 0: by rule */
};

static enum status ask(const char *name, const char *what, struct scopes_wanted *asked, struct error *error)
{
    const char *names[IMPORT_SCOPES + 1] = {"decimal"};
    for (size_t i = 0; i < IMPORT_SCOPES; i++) {
        names[i + 1] = scopes[i].name;
        if (strcmp(scopes[i].name, name) == 0) {
            asked->scopes[i] = what;
            return STATUS_OK;
        }
    }
    bool decimal = strcmp(name, "decimal") == 0;
    asked->decimal = strcmp(what, "comma") == 0 ? ',' : '.';
    if (decimal && (asked->decimal == ',' || strcmp(what, "point") == 0))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--columns: @%.40s=%.40s is unknown", name, what);
    if (decimal)
        error_hint(error, "expected @decimal=point or @decimal=comma");
    else
        suggest_hint(error, name, names, IMPORT_SCOPES + 1, "expected @kernel=NAME or its like");
    return STATUS_USAGE;
}

static enum status read_asked(struct import *import, const char *columns, struct scopes_wanted *asked,
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
        status = ask(entry + 1, sign + 1, asked, error);
    }
    return status;
}

/* ---- scopes ---- */

/* A kernel's name without its type, arguments and what tools add: "void walk<int>(int*) [clone .kd]" and
 * CodeXL's "walk__k1_Hawaii1" are walk. */
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

/* Lines, and which of them are still kept. */
struct lines_kept {
    struct import *import;
    const struct scopes_wanted *asked;
    bool *kept;
    bool *counts; /* it has a number above 0 */
};

/* Drops the lines of that kind of scope whose label is another. */
static void keep_only(struct lines_kept *choice, enum import_scope scope, const char *wanted)
{
    for (size_t i = 0; i < choice->import->line_count; i++) {
        const char *label = choice->import->lines[i].scopes[scope];
        choice->kept[i] = choice->kept[i] && (label == NULL || is_named(scope, label, wanted));
    }
}

/* The distinct labels of lines that count, up to most. without_runtime: but for the runtime's kernels. */
static size_t labels_of(const struct lines_kept *choice, enum import_scope scope, bool without_runtime,
                        const char **labels, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < choice->import->line_count && count < most; i++) {
        const char *label = choice->import->lines[i].scopes[scope];
        bool known = label == NULL || !choice->kept[i] || !choice->counts[i] ||
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
    char text[3 * TEXT_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < count && i < NAMED_MOST && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.60s", i == 0 ? "" : ", ", labels[i]);
    if (count > NAMED_MOST && used < sizeof text)
        snprintf(text + used, sizeof text - used, ", ...");
    return arena_strdup(&import->arena, text);
}

static enum status several(struct lines_kept *choice, enum import_scope scope, const char *const *labels,
                           size_t count, struct error *error)
{
    error_set(error, STATUS_USAGE, "%s has counters of several %s, which are not added: %s",
              choice->import->path, scopes[scope].several, listed(choice->import, labels, count));
    error_hint(error, "--columns @%s=NAME chooses one", scopes[scope].name);
    return STATUS_USAGE;
}

static enum status not_there(struct lines_kept *choice, enum import_scope scope, struct error *error)
{
    const char *labels[NAMED_MOST + 1];
    size_t count = labels_of(choice, scope, false, labels, NAMED_MOST + 1);
    error_set(error, STATUS_USAGE, "%s has no %s '%.60s'", choice->import->path, scopes[scope].name,
              choice->asked->scopes[scope]);
    if (count > 0)
        error_hint(error, "it has %s", listed(choice->import, labels, count));
    else
        error_hint(error, "its rows have none");
    return STATUS_USAGE;
}

static bool has(const struct lines_kept *choice, enum import_scope scope, const char *wanted)
{
    for (size_t i = 0; i < choice->import->line_count; i++) {
        const char *label = choice->import->lines[i].scopes[scope];
        if (choice->kept[i] && label != NULL && is_named(scope, label, wanted))
            return true;
    }
    return false;
}

/* Keeps the point's own kernel, or the only one that is not the runtime's, and says what it left out. */
static void choose_kernel(struct lines_kept *choice)
{
    const char *labels[2];
    const char *others[NAMED_MOST + 2];
    if (labels_of(choice, IMPORT_KERNEL, false, labels, 2) < 2)
        return;
    const char *own = OWN_KERNEL;
    if (!has(choice, IMPORT_KERNEL, own)) {
        if (labels_of(choice, IMPORT_KERNEL, true, labels, 2) != 1)
            return;
        own = labels[0];
    }
    size_t count = labels_of(choice, IMPORT_KERNEL, false, others, NAMED_MOST + 2);
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_named(IMPORT_KERNEL, others[i], own))
            others[left++] = others[i];
    choice->import->left_out = listed(choice->import, others, left);
    keep_only(choice, IMPORT_KERNEL, own);
}

/* A summary repeats what the intervals count. Without one, intervals are parts of one run. */
static void choose_interval(struct lines_kept *choice)
{
    const struct import *import = choice->import;
    const char *wanted = choice->asked->scopes[IMPORT_INTERVAL];
    bool summary = has(choice, IMPORT_INTERVAL, SUMMARY);
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
        choice->kept[i] = choice->kept[i] && strcmp(label, wanted == NULL ? SUMMARY : wanted) == 0;
    }
}

static enum status choose(struct lines_kept *choice, enum import_scope scope, enum import_use use,
                          struct error *error)
{
    const char *labels[NAMED_MOST + 1];
    const char *wanted = choice->asked->scopes[scope];
    if (wanted != NULL && !has(choice, scope, wanted) &&
        !(scope == IMPORT_INTERVAL && strcmp(wanted, SUMMARY) == 0))
        return not_there(choice, scope, error);
    if (scope == IMPORT_INTERVAL) {
        choose_interval(choice);
        return STATUS_OK;
    }
    if (wanted != NULL)
        keep_only(choice, scope, wanted);
    else if (scope == IMPORT_KERNEL && use == IMPORT_APPLICATION)
        return STATUS_OK;
    else if (scope == IMPORT_KERNEL)
        choose_kernel(choice);
    size_t count = labels_of(choice, scope, false, labels, NAMED_MOST + 1);
    if (count > 1)
        return several(choice, scope, labels, count, error);
    if (count == 1)
        keep_only(choice, scope, labels[0]);
    return STATUS_OK;
}

/* ---- values ---- */

static void spoil(struct import *import, struct import_value *value, const char *why)
{
    if (value->why == NULL)
        value->why = arena_strdup(&import->arena, why);
}

/* Base units count; a percentage is no sum; the size of any other unit's step depends on the tool. */
static void take_unit(struct import *import, struct import_value *value, const char *unit)
{
    static const char *const stepped[] = {"Kbyte", "Mbyte", "Gbyte", "Tbyte", "K", "M", "G"};
    char why[TEXT_BYTES];
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

/* What tools write in place of a number. */
static bool is_absent(const char *text)
{
    static const char *const absent[] = {"",    "-",   "<not counted>", "<not supported>", "N/A", "n/a",
                                         "nan", "NaN", "null"};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        if (strcmp(text, absent[i]) == 0)
            return true;
    return false;
}

/* True when both lines count the same work, so that their numbers are not parts of a sum. */
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
    char why[TEXT_BYTES];
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
    char why[TEXT_BYTES];
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
        snprintf(why, sizeof why, "'%.30s' in line %d is no number that is read", cell->text, line->number);
        spoil(import, value, why);
    }
}

static enum status settle(struct import *import, const struct scopes_wanted *asked, enum import_use use,
                          char decimal, struct error *error)
{
    struct lines_kept choice = {import, asked, memory_zeroed(import->line_count + 1, sizeof(bool)),
                                memory_zeroed(import->line_count + 1, sizeof(bool))};
    double number;
    for (size_t i = 0; i < import->line_count; i++)
        choice.kept[i] = true;
    for (size_t i = 0; i < import->cell_count; i++)
        if (import->cells[i].text != NULL && import_number(import->cells[i].text, decimal, &number) &&
            number != 0)
            choice.counts[import->cells[i].line] = true;
    enum status status = STATUS_OK;
    for (enum import_scope scope = 0; status == STATUS_OK && scope < IMPORT_SCOPES; scope++)
        status = choose(&choice, scope, use, error);
    for (size_t i = 0; status == STATUS_OK && i < import->cell_count; i++)
        if (choice.kept[import->cells[i].line])
            take_cell(import, &import->cells[i], decimal);
    free(choice.kept);
    free(choice.counts);
    /* What was not counted in some of its rows was counted for a share of the time. */
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
    struct scopes_wanted asked = {.decimal = '\0'};
    char decimal;
    enum status status = read_asked(import, columns, &asked, error);
    if (status == STATUS_OK)
        status = import_decimal_sign(import, asked.decimal, &decimal, error);
    return status == STATUS_OK ? settle(import, &asked, use, decimal, error) : status;
}
