/* trauma list --metrics: every metric with its unit, what it counts, the sources that observe it, and those
 * of them that work here. */
#include "base/buffer.h"
#include "base/json/json_text.h"
#include "base/text/names.h"
#include "base/text/text_set.h"
#include "cli/command.h"
#include "generator/metric/metric.h"
#include "isa/isa.h"
#include "report/table.h"
#include "runner/instruction/instruction_code.h"
#include "runner/sources/source.h"
#include "session/execute/run_power.h"

#include <stdio.h>
#include <string.h>

static const char *const grounds[METRIC_GROUNDS] = {"processor", "ptx", "gcn"};

/* ---- what works here ---- */

/* Observers that are not among counter_sources. */
enum { IMPORT, SENSORS, TSC, MEASURE, OTHERS };
static const char *const others[OTHERS] = {"import", "sensors", "tsc", "measure"};

enum { MOST_SOURCES = 32, NAME_BYTES = 64 };

struct working {
    const char *names[MOST_SOURCES];
    bool on_gpu[MOST_SOURCES]; /* it also works for GPUs */
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

/* The names of a list separated by commas. */
static void split(const char *list, struct text_set *names)
{
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        char name[NAME_BYTES];
        at += *at == ',';
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        text_set_add(names, name);
    }
}

static void find_here(const struct metric *metric, const struct working *working, struct text_set *names)
{
    for (size_t i = 0; i < working->count; i++) {
        bool observes = false;
        for (unsigned ground = 0; ground < METRIC_GROUNDS; ground++)
            observes = observes || ((ground == METRIC_ON_PROCESSOR || working->on_gpu[i]) &&
                                    metric->sources[ground] != NULL &&
                                    names_contain(metric->sources[ground], working->names[i]));
        if (observes)
            text_set_add(names, working->names[i]);
    }
}

/* Frees the names. */
static void write_names(struct json_text *text, const char *key, struct text_set *names)
{
    json_text_open(text, key, '[');
    for (size_t i = 0; i < names->count; i++)
        json_text_string(text, NULL, names->texts[i]);
    json_text_close(text, ']');
    text_set_free(names);
}

static void print_json(const struct metric *metric, const struct working *working)
{
    struct buffer output = {0};
    struct json_text text = {.buffer = &output, .compact = true};
    struct text_set names = {0};
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "metric", metric->name);
    json_text_string(&text, "unit", metric->unit);
    json_text_string(&text, "shown", metric->shown == NULL ? metric->unit : metric->shown);
    json_text_string(&text, "meaning", metric->meaning);
    json_text_bool(&text, "of_bytes", metric->of_bytes);
    json_text_open(&text, "sources", '{');
    for (size_t i = 0; i < METRIC_GROUNDS; i++) {
        split(metric->sources[i], &names);
        write_names(&text, grounds[i], &names);
    }
    json_text_close(&text, '}');
    find_here(metric, working, &names);
    write_names(&text, "here", &names);
    json_text_close(&text, '}');
    command_print_json_lines(&output);
}

/* Frees the names. */
static void join(struct text_set *names, struct buffer *text)
{
    for (size_t i = 0; i < names->count; i++)
        buffer_printf(text, "%s%s", i == 0 ? "" : ", ", names->texts[i]);
    text_set_free(names);
}

/* "processor: perf, timing; ptx, gcn: record": grounds with the same sources are listed together. */
static void write_sources(const struct metric *metric, struct buffer *text)
{
    for (size_t i = 0; i < METRIC_GROUNDS; i++) {
        const char *list = metric->sources[i];
        bool listed = list == NULL;
        struct buffer where = {0};
        struct text_set names = {0};
        for (size_t j = 0; j < METRIC_GROUNDS && !listed; j++) {
            bool same = metric->sources[j] != NULL && strcmp(metric->sources[j], list) == 0;
            listed = same && j < i;
            if (same)
                buffer_printf(&where, "%s%s", where.size == 0 ? "" : ", ", grounds[j]);
        }
        if (!listed) {
            buffer_printf(text, "%s%s: ", text->size == 0 ? "" : "; ", where.data);
            split(list, &names);
            join(&names, text);
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
        struct text_set names = {0};
        write_sources(metric, &sources);
        find_here(metric, working, &names);
        join(&names, &usable);
        table_texts(&table, metric->name,
                    metric->unit[0] == '\0' ? "share"
                    : metric->shown == NULL ? metric->unit
                                            : metric->shown,
                    usable.size == 0 ? "-" : usable.data);
        if (all_sources)
            table_texts(&table, sources.data, metric->of_bytes ? "bytes" : "silicon");
        table_cell(&table, "%s", metric->meaning);
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
    for (const struct metric *metric = metric_table; metric->name != NULL; metric++)
        print_json(metric, &working);
    return STATUS_OK;
}
