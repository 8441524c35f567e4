/* Combines files of events. The table has only events that something refers to. */
#include "runner/sources/events/event_table.h"

#include "base/text/suggest.h"
#include "base/units.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 8, NAMES_MOST = 512, WORD_BYTES = 96, COUNTERS_UNKNOWN = 2 };

/* An expression being parsed, and its row. */
struct expression {
    struct event_table *table;
    size_t file;
    const struct event_row *row; /* NULL: requested by name, in no file */
    const char *at;
    unsigned depth;
    struct error *error;
    const char *refused;   /* why the enclosing count is excluded; NULL */
    char word[WORD_BYTES]; /* the current one; "" at the end */
};

static enum status refuse(const struct expression *expression, const char *expected)
{
    if (expression->row == NULL)
        return error_set(expression->error, STATUS_RECIPE, "\"%s\" is not a count: expected %s",
                         expression->word, expected);
    error_set(expression->error, STATUS_RECIPE, "found %s%.60s%s in the expression of \"%s\"",
              expression->word[0] == '\0' ? "its end" : "\"", expression->word,
              expression->word[0] == '\0' ? "" : "\"", expression->row->name);
    error_at(expression->error, expression->table->files[expression->file].path, expression->row->line);
    error_hint(expression->error, "expected %s, with blanks between words and signs", expected);
    return STATUS_RECIPE;
}

static void next_word(struct expression *expression)
{
    expression->at += strspn(expression->at, " \t");
    size_t length = strcspn(expression->at, " \t");
    snprintf(expression->word, sizeof expression->word, "%.*s", (int)length, expression->at);
    expression->at += length;
}

static bool word_is(const struct expression *expression, const char *word)
{
    return strcmp(expression->word, word) == 0;
}

/* ---- names ---- */

/* True for a code: r and hexadecimal digits, or a libpfm4 name with its unit or mask. */
static bool is_code(const char *word)
{
    size_t digits = word[0] == 'r' ? strspn(word + 1, "0123456789abcdefABCDEF") : 0;
    return (digits > 0 && word[1 + digits] == '\0') || strchr(word, ':') != NULL;
}

/* The event's index; a new event is added; -1 if there is no room. */
static int place_event(struct event_table *table, const struct event *event)
{
    for (size_t i = 0; i < table->event_count; i++)
        if (strcmp(table->events[i].code, event->code) == 0 && table->events[i].percent == event->percent &&
            (table->events[i].refused == NULL) == (event->refused == NULL))
            return (int)i;
    if (table->event_count == EVENT_TABLE_EVENTS)
        return -1;
    table->events[table->event_count] = *event;
    return (int)table->event_count++;
}

static const unsigned COUNTED = 1U << EVENT_CODE | 1U << EVENT_PERCENT | 1U << EVENT_COUNT;

/* The row that the name refers to: the file's own, or else the first one in the others. *file becomes the
 * file of the row. */
static const struct event_row *find_row(const struct event_table *table, const char *name, size_t *file)
{
    const struct event_row *row =
        *file < table->file_count ? event_file_find(&table->files[*file], COUNTED, name) : NULL;
    for (size_t i = 0; row == NULL && i < table->file_count; i++) {
        row = event_file_find(&table->files[i], COUNTED, name);
        *file = row == NULL ? *file : i;
    }
    return row;
}

/* The sentence with which a file of higher precedence excludes the name; NULL: none does. */
static const char *exclusion_of(const struct event_table *table, const char *name, size_t file)
{
    const struct event_row *row = NULL;
    for (size_t i = 0; row == NULL && i < file && i < table->file_count; i++)
        row = event_file_find(&table->files[i], 1U << EVENT_NONE, name);
    return row == NULL ? NULL : row->text;
}

static enum status unknown_name(const struct expression *expression)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    const struct event_table *table = expression->table;
    for (size_t i = 0; i < table->file_count; i++)
        for (size_t j = 0; j < table->files[i].row_count && count < NAMES_MOST; j++)
            if ((COUNTED & 1U << table->files[i].rows[j].kind) != 0)
                names[count++] = table->files[i].rows[j].name;
    error_set(expression->error, STATUS_RECIPE, "there is no event or count \"%s\"", expression->word);
    if (expression->row != NULL)
        error_at(expression->error, table->files[expression->file].path, expression->row->line);
    suggest_hint(expression->error, expression->word, names, count,
                 "expected a name that `trauma sensors --events` lists, a libpfm4 name, or r and a raw code");
    return STATUS_RECIPE;
}

static enum status add_term(const struct expression *expression, struct event_sum *sum, double factor,
                            int event)
{
    for (size_t i = 0; i < sum->count; i++)
        if (sum->terms[i].event == event) {
            sum->terms[i].factor += factor;
            return STATUS_OK;
        }
    if (sum->count == EVENT_TERMS)
        return refuse(expression, "at most 16 terms in a sum");
    sum->terms[sum->count++] = (struct event_term){factor, event};
    return STATUS_OK;
}

static enum status read_sum(struct expression *expression, double factor, struct event_sum *sum);

/* Adds the meaning of the name, times the factor. */
static enum status add_name(struct expression *expression, double factor, struct event_sum *sum)
{
    struct event_table *table = expression->table;
    size_t file = expression->file;
    const struct event_row *row = find_row(table, expression->word, &file);
    const char *refused = row == NULL ? NULL : exclusion_of(table, row->name, file);
    refused = refused == NULL ? expression->refused : refused;
    if (row != NULL && row->kind == EVENT_COUNT) {
        struct expression inner = {table,   file, row, row->text, expression->depth + 1, expression->error,
                                   refused, ""};
        if (inner.depth > DEEPEST)
            return refuse(expression, "counts that do not depend on themselves");
        next_word(&inner);
        enum status status = read_sum(&inner, factor, sum);
        return status == STATUS_OK && inner.word[0] != '\0' ? refuse(&inner, "+, - or the end") : status;
    }
    if (row == NULL && !is_code(expression->word))
        return unknown_name(expression);
    struct event event = {.name = expression->word, .code = expression->word, .rest = ""};
    if (row != NULL)
        event =
            (struct event){row->name, row->text, row->rest, row->fixed, row->kind == EVENT_PERCENT, refused};
    else
        event.name = event.code = arena_strdup(&table->arena, expression->word);
    int place = place_event(table, &event);
    if (place < 0)
        return error_set(expression->error, STATUS_RECIPE, "the tables have more than %d events",
                         EVENT_TABLE_EVENTS);
    return add_term(expression, sum, factor, place);
}

/* ---- expressions ---- */

/* NAME, NUMBER or NUMBER * NAME. */
static enum status read_term(struct expression *expression, double factor, struct event_sum *sum)
{
    double number;
    if (units_parse_number(expression->word, &number)) {
        next_word(expression);
        if (!word_is(expression, "*"))
            return add_term(expression, sum, factor * number, -1);
        factor *= number;
        next_word(expression);
    }
    if (expression->word[0] == '\0' || strspn(expression->word, "+-*/()") > 0)
        return refuse(expression, "a name or a number");
    enum status status = add_name(expression, factor, sum);
    next_word(expression);
    return status;
}

static enum status read_sum(struct expression *expression, double factor, struct event_sum *sum)
{
    bool inside = word_is(expression, "(");
    if (inside)
        next_word(expression);
    enum status status = read_term(expression, factor, sum);
    while (status == STATUS_OK && (word_is(expression, "+") || word_is(expression, "-"))) {
        double sign = word_is(expression, "+") ? factor : -factor;
        next_word(expression);
        status = read_term(expression, sign, sum);
    }
    if (status != STATUS_OK || !inside)
        return status;
    if (!word_is(expression, ")"))
        return refuse(expression, "+, - or )");
    next_word(expression);
    return STATUS_OK;
}

static enum status read_ratio(struct expression *expression, struct event_ratio *ratio)
{
    next_word(expression);
    enum status status = read_sum(expression, 1, &ratio->over);
    if (status == STATUS_OK && word_is(expression, "/")) {
        next_word(expression);
        status = read_sum(expression, 1, &ratio->under);
    }
    return status == STATUS_OK && expression->word[0] != '\0' ? refuse(expression, "+, -, / or the end")
                                                              : status;
}

/* ---- the table ---- */

static bool has_total(const struct event_table *table, const char *name)
{
    for (size_t i = 0; i < table->total_count; i++)
        if (strcmp(table->totals[i].name, name) == 0)
            return true;
    return false;
}

static enum status link_row(struct event_table *table, size_t file, const struct event_row *row,
                            struct error *error)
{
    struct expression expression = {table, file, row, row->text, 0, error, NULL, ""};
    if (row->kind == EVENT_METRIC) {
        if (table->ratio_count == EVENT_TABLE_RATIOS)
            return error_set(error, STATUS_RECIPE, "the tables have more than %d metrics",
                             EVENT_TABLE_RATIOS);
        struct event_ratio *ratio = &table->ratios[table->ratio_count++];
        *ratio = (struct event_ratio){.metric = row->name,
                                      .text = row->text,
                                      .file = table->files[file].path,
                                      .loads_only = row->loads_only};
        return read_ratio(&expression, ratio);
    }
    if (row->kind == EVENT_NONE || has_total(table, row->name))
        return STATUS_OK;
    struct event_total *total = &table->totals[table->total_count++];
    *total = (struct event_total){.name = row->name, .text = row->text, .rest = row->rest};
    snprintf(expression.word, sizeof expression.word, "%s", row->name);
    return add_name(&expression, 1, &total->sum);
}

enum status event_table_link(struct event_table *table, struct error *error)
{
    size_t rows = 0;
    for (size_t i = 0; i < table->file_count; i++) {
        rows += table->files[i].row_count;
        if (table->counters == 0)
            table->counters = table->files[i].counters;
    }
    if (table->counters == 0)
        table->counters = COUNTERS_UNKNOWN;
    table->totals = arena_alloc(&table->arena, rows + 1, sizeof *table->totals);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < table->file_count; i++)
        for (size_t j = 0; status == STATUS_OK && j < table->files[i].row_count; j++)
            status = link_row(table, i, &table->files[i].rows[j], error);
    return status;
}

bool event_table_add(struct event_table *table, const char *metric, const char *over, const char *under)
{
    const struct event events[2] = {{.name = over, .code = over, .rest = ""},
                                    {.name = under, .code = under, .rest = ""}};
    int first = place_event(table, &events[0]);
    int second = place_event(table, &events[1]);
    if (first < 0 || second < 0 || table->ratio_count == EVENT_TABLE_RATIOS)
        return false;
    memmove(table->ratios + 1, table->ratios, table->ratio_count++ * sizeof table->ratios[0]);
    table->ratios[0] = (struct event_ratio){.metric = metric,
                                            .over = {.terms = {{1, first}}, .count = 1},
                                            .under = {.terms = {{1, second}}, .count = 1},
                                            .text = ""};
    return true;
}

enum status event_table_sum(struct event_table *table, const char *name, struct event_sum *sum,
                            struct error *error)
{
    struct expression expression = {table, table->file_count, NULL, "", 0, error, NULL, ""};
    snprintf(expression.word, sizeof expression.word, "%s", name);
    *sum = (struct event_sum){.count = 0};
    return add_name(&expression, 1, sum);
}

bool event_table_of_gpu(const struct event_table *table)
{
    return table->file_count > 0 && table->files[0].pmu != NULL && strcmp(table->files[0].pmu, "gpu") == 0;
}

double event_sum_value(const struct event_sum *sum, const double *counts)
{
    double value = 0;
    for (size_t i = 0; i < sum->count; i++)
        value += sum->terms[i].factor * (sum->terms[i].event < 0 ? 1 : counts[sum->terms[i].event]);
    return value;
}

double event_sum_counted(const struct event_sum *sum, const double *counted, double most)
{
    for (size_t i = 0; i < sum->count; i++)
        if (sum->terms[i].event >= 0 && counted[sum->terms[i].event] < most)
            most = counted[sum->terms[i].event];
    return most;
}

void event_table_free(struct event_table *table)
{
    arena_free(&table->arena);
    *table = (struct event_table){.counters = 0};
}
