/* trauma sensors --events: the events behind each metric of a processor, and the substitutes for the papers'
 * counters. */
#include "base/json/field_json.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "report/table.h"
#include "runner/sources/events/event_folder.h"
#include "runner/state/perf_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table of events ---- */

/* The reason for lacking the name, from the first file that states one; NULL: none. */
static const char *reason_of(const struct event_table *table, const char *name)
{
    for (size_t i = 0; i < table->file_count; i++)
        for (size_t j = 0; j < table->files[i].row_count; j++) {
            const struct event_row *row = &table->files[i].rows[j];
            if (row->kind == EVENT_NONE && strcmp(row->name, name) == 0)
                return row->text;
        }
    return NULL;
}

/* Calls `each` for every name that the table has a reason for. */
static void for_reasons(const struct event_table *table,
                        void (*each)(void *context, const char *name, const char *reason), void *context)
{
    for (size_t i = 0; i < table->file_count; i++)
        for (size_t j = 0; j < table->files[i].row_count; j++) {
            const struct event_row *row = &table->files[i].rows[j];
            if (row->kind == EVENT_NONE && reason_of(table, row->name) == row->text)
                each(context, row->name, row->text);
        }
}

static bool is_counted(const struct event_table *table, const char *name)
{
    for (size_t i = 0; i < table->total_count; i++)
        if (strcmp(table->totals[i].name, name) == 0)
            return true;
    return false;
}

/* A paper's counter on this processor: `here` is the first of its names that the table has, or else `why` is
 * the reason. A remark is about the last name. */
struct counter_here {
    const char *counter;
    const char **names;
    size_t name_count;
    const char *remark, *why, *here, *imported;
};

static struct counter_here look_up(const struct paper_counter *counter, const struct event_table *table)
{
    const char *why = NULL;
    struct counter_here found = {.counter = counter->counter,
                                 .names = counter->names,
                                 .name_count = counter->name_count,
                                 .remark = counter->remark,
                                 .why = counter->why};
    for (size_t i = 0; i < counter->name_count; i++) {
        if (is_counted(table, counter->names[i])) {
            found.here = counter->names[i];
            if (i + 1 < counter->name_count) /* the counter itself, or more like it than the remark says */
                found.remark = NULL;
            return found;
        }
        why = why == NULL ? reason_of(table, counter->names[i]) : why;
    }
    const char *first = counter->name_count > 0 ? counter->names[0] : NULL;
    bool of_gpu = first != NULL && (strncmp(first, "gpu_", 4) == 0 || strchr(first, '.') != NULL);
    if (of_gpu)
        why = "belongs to a GPU; import it from another tool's file";
    found.imported = of_gpu ? first : NULL;
    if (found.why == NULL)
        found.why = why != NULL ? why : "this processor's event file lacks it";
    return found;
}

/* ---- as JSON ---- */

static const struct field_row family_rows[] = {FIELD_ROW(event_file, "family", FIELD_TEXT, family),
                                               FIELD_ROW(event_file, "title", FIELD_TEXT, title),
                                               FIELD_ROW(event_file, "source", FIELD_NOTHING, source),
                                               FIELD_ROW(event_file, "file", FIELD_TEXT, path),
                                               {NULL}};
static const struct field_row metric_rows[] = {FIELD_ROW(event_ratio, "metric", FIELD_TEXT, metric),
                                               FIELD_ROW(event_ratio, "is", FIELD_TEXT, text),
                                               FIELD_ROW(event_ratio, "loads_only", FIELD_FLAG, loads_only),
                                               FIELD_ROW(event_ratio, "file", FIELD_NOTHING, file),
                                               {NULL}};
static const struct field_row count_rows[] = {FIELD_ROW(event_total, "count", FIELD_TEXT, name),
                                              FIELD_ROW(event_total, "is", FIELD_TEXT, text),
                                              FIELD_ROW(event_total, "vendor", FIELD_TEXT, rest),
                                              {NULL}};
static const struct field_row counter_rows[] = {
    FIELD_ROW(counter_here, "counter", FIELD_TEXT, counter),
    FIELD_MANY(counter_here, "names", FIELD_WORDS, names, name_count),
    FIELD_ROW(counter_here, "remark", FIELD_NOTHING, remark),
    FIELD_ROW(counter_here, "why", FIELD_NOTHING, why),
    {NULL}};
static const struct field_row absent_rows[] = {FIELD_ROW(counter_here, "imported", FIELD_NOTHING, imported),
                                               FIELD_ROW(counter_here, "here", FIELD_NOTHING, here),
                                               {NULL}};

static void write_list(struct json_text *text, const char *name, const struct field_row *rows,
                       const void *items, size_t count, size_t size)
{
    json_text_open(text, name, '[');
    for (size_t i = 0; i < count; i++) {
        json_text_open(text, NULL, '{');
        fields_write(text, rows, NULL, (const char *)items + i * size);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

static void write_paper(struct json_text *text, const struct paper *paper, const struct event_table *table)
{
    json_text_open(text, NULL, '{');
    json_text_string(text, "paper", paper->paper);
    json_text_string(text, "title", paper->title);
    json_text_open(text, "counters", '[');
    for (size_t i = 0; i < paper->counter_count; i++) {
        const struct counter_here counter = look_up(&paper->counters[i], table);
        json_text_open(text, NULL, '{');
        fields_write(text, counter_rows, NULL, &counter);
        if (counter.here != NULL)
            json_text_string(text, "here", counter.here);
        else
            fields_write(text, absent_rows, NULL, &counter);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
    json_text_close(text, '}');
}

static void write_reason(void *text, const char *name, const char *reason)
{
    json_text_string(text, name, reason);
}

static void print_json(const struct event_table *table, const struct papers *papers)
{
    struct json_text text = {.buffer = NULL};
    json_text_open(&text, NULL, '{');
    write_list(&text, "families", family_rows, table->files, table->file_count, sizeof *table->files);
    if (event_table_of_gpu(table)) /* CUPTI decides how many at a time */
        json_text_null(&text, "counters");
    else
        json_text_integer(&text, "counters", table->counters);
    write_list(&text, "metrics", metric_rows, table->ratios, table->ratio_count, sizeof *table->ratios);
    json_text_open(&text, "none", '{');
    for_reasons(table, write_reason, &text);
    json_text_close(&text, '}');
    write_list(&text, "counts", count_rows, table->totals, table->total_count, sizeof *table->totals);
    json_text_open(&text, "papers", '[');
    for (size_t i = 0; i < papers->count; i++)
        write_paper(&text, &papers->items[i], table);
    json_text_close(&text, ']');
    json_text_close(&text, '}');
    command_print_tree(&text, 2);
}

/* ---- as tables ---- */

static void add_reason(void *table, const char *name, const char *reason)
{
    table_cell(table, "%s", name);
    table_cell(table, "none: %s", reason);
}

static void print_metrics(const struct event_table *events)
{
    struct table table = table_of("metric|is");
    for (size_t i = 0; i < events->ratio_count; i++) {
        table_cell(&table, "%s", events->ratios[i].metric);
        table_cell(&table, "%s%s", events->ratios[i].text,
                   events->ratios[i].loads_only ? "   (where nothing stores)" : "");
    }
    for_reasons(events, add_reason, &table);
    table_finish(&table, stdout);
}

static void print_counts(const struct event_table *events)
{
    struct table table = table_of("count|is|vendor name");
    for (size_t i = 0; i < events->total_count; i++)
        table_texts(&table, events->totals[i].name, events->totals[i].text, events->totals[i].rest);
    table_finish(&table, stdout);
}

static void add_counter(struct table *table, const struct counter_here *counter)
{
    const char *remark = counter->remark;
    table_cell(table, "   %s", counter->counter);
    if (counter->imported != NULL)
        table_cell(table, "%s%s by --import", strchr(counter->imported, '.') == NULL ? "events." : "",
                   counter->imported);
    else if (counter->here != NULL)
        table_cell(table, "events.%s%s%s", counter->here, remark == NULL ? "" : ": ",
                   remark == NULL ? "" : remark);
    else
        table_cell(table, "none: %s", counter->why);
}

static void print_papers(const struct papers *papers, const struct event_table *events)
{
    struct table table = table_of("paper and its counters|here");
    for (size_t i = 0; i < papers->count; i++) {
        const struct paper *paper = &papers->items[i];
        table_texts(&table, paper->title, "");
        for (size_t j = 0; j < paper->counter_count; j++) {
            const struct counter_here counter = look_up(&paper->counters[j], events);
            add_counter(&table, &counter);
        }
    }
    table_finish(&table, stdout);
}

static void print_tables(const struct event_table *table, const struct papers *papers)
{
    for (size_t i = 0; i < table->file_count; i++) {
        const struct event_file *file = &table->files[i];
        command_print("%s: %s\n", file->family, file->title);
        command_print("   from %s\n", file->source == NULL ? "its author" : file->source);
    }
    if (event_table_of_gpu(table))
        command_print("counted by CUPTI, in as many runs as needed\n\n");
    else
        command_print("%u events at a time, in addition to those with fixed counters\n\n", table->counters);
    print_metrics(table);
    command_print("\n");
    print_counts(table);
    command_print("\n");
    print_papers(papers, table);
}

/* ---- the option ---- */

static int print_names(void)
{
    char names[2048];
    struct error error;
    if (event_folder_names(false, names, sizeof names, &error) != STATUS_OK)
        return command_fail(&error);
    command_print("%s\n", names);
    return STATUS_OK;
}

static enum status print_table(const struct options *options, struct event_table *table, struct error *error)
{
    struct perf_host host;
    perf_host_read(&host, -1, requests_root(options));
    const struct event_processor processor = {host.vendor, host.family, host.model, host.pmu,
                                              options->input_count == 0 ? NULL : options->inputs[0]};
    enum status status = event_folder_table(&processor, table, error);
    if (status != STATUS_OK)
        return status;
    struct papers papers;
    status = event_papers_read(&papers, error);
    if (status == STATUS_OK)
        (options->json ? print_json : print_tables)(table, &papers);
    arena_free(&papers.arena);
    return status;
}

int sensors_events(const struct options *options)
{
    struct error error = {.code = STATUS_OK};
    if (options->input_count > 1) {
        error_set(&error, STATUS_USAGE, "--events takes one family or machine; '%s' is a second one",
                  options->inputs[1]);
        error_hint(&error, "trauma sensors --events all names them");
        return command_fail(&error);
    }
    if (options->input_count == 1 && strcmp(options->inputs[0], "all") == 0)
        return print_names();
    struct event_table *table = memory_zeroed(1, sizeof *table);
    enum status status = print_table(options, table, &error);
    event_table_free(table);
    free(table);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}
