/* trauma list --metrics: every metric with its unit, what it counts, who observes it, and who of them works
 * here. */
#include "base/buffer.h"
#include "base/text/names.h"
#include "cli/command.h"
#include "generator/metric/metric.h"
#include "isa/isa.h"
#include "report/table.h"
#include "runner/instruction/instruction_code.h"
#include "runner/sources/source.h"
#include "session/execute/run_power.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char *const grounds[METRIC_GROUNDS] = {"processor", "ptx", "gcn"};

/* ---- what works here ---- */

/* Observers that are no source of evidence of their own. */
enum { IMPORT, SENSORS, TSC, MEASURE, OTHERS };
static const char *const others[OTHERS] = {"import", "sensors", "tsc", "measure"};

enum { MOST_SOURCES = 32 };

struct working {
    const char *names[MOST_SOURCES];
    bool on_gpu[MOST_SOURCES]; /* also where a GPU must be there */
    size_t count;
};

static void add(struct working *working, const char *name, bool on_gpu)
{
    working->names[working->count] = name;
    working->on_gpu[working->count++] = on_gpu;
}

static void find_working(struct working *working)
{
    struct error why_not = {0};
    struct run_power power;
    bool gpu = source_usable(&counter_record, &why_not) == STATUS_OK;
    for (size_t i = 0; counter_sources[i] != NULL; i++)
        if (source_usable(counter_sources[i], &why_not) == STATUS_OK)
            add(working, counter_sources[i]->name, gpu || !counter_sources[i]->alone);
    add(working, others[IMPORT], true);
    if (isa_of_host() != NULL)
        add(working, others[TSC], false);
    if (insn_is_measurable())
        add(working, others[MEASURE], false);
    if (run_power_find(NULL, "", &power, &why_not) == STATUS_OK &&
        run_power_open(&power, &why_not) == STATUS_OK && sensor_list_power_channels(&power.meters) > 0)
        add(working, others[SENSORS], true);
    run_power_close(&power);
}

/* ---- a metric as JSON, and as a row ---- */

static json_t *names_of(const char *list)
{
    json_t *names = json_array();
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        json_array_append_new(names, json_stringn(at, strcspn(at, ",")));
    }
    return names;
}

static json_t *here(const struct metric *metric, const struct working *working)
{
    json_t *names = json_array();
    for (size_t i = 0; i < working->count; i++) {
        bool seen = false;
        for (unsigned ground = 0; ground < METRIC_GROUNDS; ground++)
            seen = seen || ((ground == METRIC_ON_PROCESSOR || working->on_gpu[i]) &&
                            metric->sources[ground] != NULL &&
                            names_contain(metric->sources[ground], working->names[i]));
        if (seen)
            json_array_append_new(names, json_string(working->names[i]));
    }
    return names;
}

static json_t *describe(const struct metric *metric, const struct working *working)
{
    json_t *sources = json_object();
    for (size_t i = 0; i < METRIC_GROUNDS; i++)
        json_object_set_new(sources, grounds[i], names_of(metric->sources[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:o}", "metric", metric->name, "unit", metric->unit,
                     "shown", metric->shown == NULL ? metric->unit : metric->shown, "meaning",
                     metric->meaning, "of_bytes", metric->of_bytes, "sources", sources, "here",
                     here(metric, working));
}

static void join(const json_t *names, struct buffer *text)
{
    for (size_t i = 0; i < json_array_size(names); i++)
        buffer_printf(text, "%s%s", i == 0 ? "" : ", ", json_string_value(json_array_get(names, i)));
}

/* "perf, timing; ptx: record": grounds with the same sources once. */
static void write_sources(const struct metric *metric, struct buffer *text)
{
    for (size_t i = 0; i < METRIC_GROUNDS; i++) {
        const char *list = metric->sources[i];
        bool told = list == NULL;
        struct buffer where = {0};
        for (size_t j = 0; j < METRIC_GROUNDS && !told; j++) {
            bool same = metric->sources[j] != NULL && strcmp(metric->sources[j], list) == 0;
            told = same && j < i;
            if (same)
                buffer_printf(&where, "%s%s", where.size == 0 ? "" : ", ", grounds[j]);
        }
        if (!told) {
            json_t *names = names_of(list);
            buffer_printf(text, "%s%s: ", text->size == 0 ? "" : "; ", where.data);
            join(names, text);
            json_decref(names);
        }
        buffer_free(&where);
    }
}

static void print_rows(const struct working *working, bool all_sources)
{
    struct table table =
        table_of(all_sources ? "metric|unit|observed here by|observed anywhere by|a pass needs|what it counts"
                             : "metric|unit|observed here by|what it counts");
    for (const struct metric *metric = metric_table; metric->name != NULL; metric++) {
        struct buffer sources = {0}, usable = {0};
        json_t *names = here(metric, working);
        write_sources(metric, &sources);
        join(names, &usable);
        table_texts(&table, metric->name,
                    metric->unit[0] == '\0' ? "share"
                    : metric->shown == NULL ? metric->unit
                                            : metric->shown,
                    usable.size == 0 ? "-" : usable.data);
        if (all_sources)
            table_texts(&table, sources.data, metric->of_bytes ? "bytes" : "silicon");
        table_cell(&table, "%s", metric->meaning);
        json_decref(names);
        buffer_free(&sources);
        buffer_free(&usable);
    }
    table_finish(&table, stdout);
    command_print("\nA * stands for a level (L1, L2, L3, MEM; on GPUs SHARED, L1, L2, MEM, on NVIDIA's also "
                  "DSMEM, on AMD's L3), an operation, a number or an event.%s\n",
                  all_sources ? "" : " -v lists every source, also those that do not work here.");
}

static enum status check(const struct options *options, struct error *error)
{
    static const char *const of_recipes[] = {"machine", "index", "target", "filter", "set", "seed", NULL};
    if (options->input_count > 0) {
        error_set(error, STATUS_USAGE,
                  "--metrics lists the metrics of all recipes: it takes no RECIPE, found '%s'",
                  options->inputs[0]);
        error_hint(error, "trauma list --metrics, or trauma list %s", options->inputs[0]);
        return STATUS_USAGE;
    }
    return options_refuse(options, of_recipes, "--metrics", "it lists every metric", error);
}

int list_metrics(const struct options *options)
{
    struct error error = {0};
    struct working working = {.count = 0};
    if (check(options, &error) != STATUS_OK)
        return command_fail(&error);
    find_working(&working);
    if (!options->json) {
        print_rows(&working, options->verbose);
        return STATUS_OK;
    }
    for (const struct metric *metric = metric_table; metric->name != NULL; metric++) {
        json_t *line = describe(metric, &working);
        command_print_json(line, 0);
        json_decref(line);
    }
    return STATUS_OK;
}
