/* trauma sensors --events: which events make up a metric on a processor, and the substitutes for the papers'
 * counters. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "report/table.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/events/event_papers.h"
#include "runner/state/perf_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- as one document, for tables and JSON alike ---- */

static json_t *families_of(const struct event_table *table)
{
    json_t *families = json_array();
    for (size_t i = 0; i < table->file_count; i++)
        json_array_append_new(families, json_pack("{s:s, s:s, s:s?, s:s}", "family", table->files[i].family,
                                                  "title", table->files[i].title, "source",
                                                  table->files[i].source, "file", table->files[i].path));
    return families;
}

static json_t *metrics_of(const struct event_table *table)
{
    json_t *metrics = json_array();
    for (size_t i = 0; i < table->ratio_count; i++)
        json_array_append_new(metrics, json_pack("{s:s, s:s, s:b, s:s?}", "metric", table->ratios[i].metric,
                                                 "is", table->ratios[i].text, "loads_only",
                                                 table->ratios[i].loads_only, "file", table->ratios[i].file));
    return metrics;
}

static json_t *counts_of(const struct event_table *table)
{
    json_t *counts = json_array();
    for (size_t i = 0; i < table->total_count; i++)
        json_array_append_new(counts, json_pack("{s:s, s:s, s:s}", "count", table->totals[i].name, "is",
                                                table->totals[i].text, "vendor", table->totals[i].rest));
    return counts;
}

static json_t *reasons_of(const struct event_table *table)
{
    json_t *reasons = json_object();
    for (size_t i = 0; i < table->file_count; i++)
        for (size_t j = 0; j < table->files[i].row_count; j++) {
            const struct event_row *row = &table->files[i].rows[j];
            if (row->kind == EVENT_NONE && json_object_get(reasons, row->name) == NULL)
                json_object_set_new(reasons, row->name, json_string(row->text));
        }
    return reasons;
}

static bool is_there(const json_t *list, const char *key, const char *name)
{
    const json_t *item;
    size_t i;
    json_array_foreach(list, i, item) if (strcmp(json_string_or(item, key, ""), name) == 0) return true;
    return false;
}

/* Sets "here" of a paper's counter to the first of its names that this table has; else sets "why". A remark
 * is on the last name. */
static void look_up(json_t *counter, const json_t *document)
{
    const char *why = NULL;
    const json_t *names = json_object_get(counter, "names");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const char *reason = json_string_or(json_object_get(document, "none"), name, NULL);
        if (is_there(json_object_get(document, "counts"), "count", name)) {
            json_object_set_new(counter, "here", json_string(name));
            if (i + 1 < json_array_size(names)) /* the counter itself, or more like it than the remark says */
                json_object_set_new(counter, "remark", json_null());
            return;
        }
        why = why == NULL ? reason : why;
    }
    const char *first = json_string_value(json_array_get(names, 0));
    bool of_gpu = first != NULL && (strncmp(first, "gpu_", 4) == 0 || strchr(first, '.') != NULL);
    if (of_gpu)
        why = "belongs to a GPU; import it from another tool's file";
    json_object_set_new(counter, "imported", of_gpu ? json_string(first) : json_null());
    json_object_set_new(counter, "here", json_null());
    if (!json_is_string(json_object_get(counter, "why")))
        json_object_set_new(counter, "why",
                            json_string(why != NULL ? why : "this processor's event file lacks it"));
}

static json_t *describe(const struct event_table *table, struct error *error)
{
    json_t *papers = event_papers_read(error);
    if (papers == NULL)
        return NULL;
    json_t *document = json_pack("{s:o, s:i, s:o, s:o, s:o, s:o}", "families", families_of(table), "counters",
                                 (int)table->counters, "metrics", metrics_of(table), "none",
                                 reasons_of(table), "counts", counts_of(table), "papers", papers);
    if (event_table_of_gpu(table)) /* CUPTI decides how many at a time */
        json_object_set_new(document, "counters", json_null());
    for (size_t i = 0; i < json_array_size(papers); i++) {
        const json_t *counters = json_object_get(json_array_get(papers, i), "counters");
        for (size_t j = 0; j < json_array_size(counters); j++)
            look_up(json_array_get(counters, j), document);
    }
    return document;
}

/* ---- as tables ---- */

static void print_metrics(const json_t *document)
{
    struct table table = table_of("metric|is");
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(document, "metrics"), i, item)
    {
        table_cell(&table, "%s", json_string_or(item, "metric", ""));
        table_cell(&table, "%s%s", json_string_or(item, "is", ""),
                   json_is_true(json_object_get(item, "loads_only")) ? "   (where nothing stores)" : "");
    }
    const char *name;
    json_t *reason;
    json_object_foreach(json_object_get(document, "none"), name, reason)
    {
        table_cell(&table, "%s", name);
        table_cell(&table, "none: %s", json_string_value(reason));
    }
    table_finish(&table, stdout);
}

static void print_counts(const json_t *document)
{
    struct table table = table_of("count|is|vendor name");
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(document, "counts"), i, item)
    {
        table_texts(&table, json_string_or(item, "count", ""), json_string_or(item, "is", ""),
                    json_string_or(item, "vendor", ""));
    }
    table_finish(&table, stdout);
}

static void add_counter(struct table *table, const json_t *counter)
{
    const char *here = json_string_or(counter, "here", NULL);
    const char *remark = json_string_or(counter, "remark", NULL);
    const char *imported = json_string_or(counter, "imported", NULL);
    table_cell(table, "   %s", json_string_or(counter, "counter", ""));
    if (imported != NULL)
        table_cell(table, "%s%s by --import", strchr(imported, '.') == NULL ? "events." : "", imported);
    else if (here != NULL)
        table_cell(table, "events.%s%s%s", here, remark == NULL ? "" : ": ", remark == NULL ? "" : remark);
    else
        table_cell(table, "none: %s", json_string_or(counter, "why", ""));
}

static void print_papers(const json_t *document)
{
    struct table table = table_of("paper and its counters|here");
    const json_t *paper;
    size_t i;
    json_array_foreach(json_object_get(document, "papers"), i, paper)
    {
        table_texts(&table, json_string_or(paper, "title", ""), "");
        const json_t *counters = json_object_get(paper, "counters");
        for (size_t j = 0; j < json_array_size(counters); j++)
            add_counter(&table, json_array_get(counters, j));
    }
    table_finish(&table, stdout);
}

static void print_document(const json_t *document)
{
    const json_t *family;
    size_t i;
    json_array_foreach(json_object_get(document, "families"), i, family)
    {
        command_print("%s: %s\n", json_string_or(family, "family", ""), json_string_or(family, "title", ""));
        command_print("   from %s\n", json_string_or(family, "source", "its author"));
    }
    if (json_is_integer(json_object_get(document, "counters")))
        command_print("%d events at a time, in addition to those with fixed counters\n\n",
                      (int)json_number_or(document, "counters", 0));
    else
        command_print("counted by CUPTI, in as many runs as needed\n\n");
    print_metrics(document);
    command_print("\n");
    print_counts(document);
    command_print("\n");
    print_papers(document);
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
    json_t *document = describe(table, error);
    if (document == NULL)
        return error->code;
    if (options->json)
        command_print_json(document, 2);
    else
        print_document(document);
    json_decref(document);
    return STATUS_OK;
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
