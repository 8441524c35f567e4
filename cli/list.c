/* trauma list: recipes, their benchmarks, points and targets. */
#include "base/json/json_text.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "report/table.h"

#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"machine", "index",   "target", "filter",  "set", "seed",
                                       "json",    "metrics", "quiet",  "verbose", NULL};

static bool belongs(const struct work_item *item, const struct suite_benchmark *benchmark)
{
    return strcmp(item->benchmark, benchmark->own->name) == 0 && strcmp(item->recipe, benchmark->recipe) == 0;
}

/* A document with each benchmark and the names of its points. */
static void print_json(const struct work *work)
{
    struct suite_benchmark benchmark;
    struct buffer output = {0};
    struct json_text text = {.buffer = &output};
    json_text_open(&text, NULL, '[');
    for (size_t i = 0; work_benchmark(work, i, &benchmark); i++) {
        json_text_open(&text, NULL, '{');
        benchmark_write_members(&text, benchmark.recipe, benchmark.own);
        json_text_open(&text, "points", '[');
        for (size_t j = 0; j < work->item_count; j++)
            if (belongs(&work->items[j], &benchmark))
                json_text_string(&text, NULL, work->items[j].point);
        json_text_close(&text, ']');
        json_text_close(&text, '}');
    }
    json_text_close(&text, ']');
    command_print_json_lines(&output);
}

static void print_table(const struct work *work, bool verbose)
{
    struct table table = table_of("recipe|benchmark|>points|targets|title");
    struct suite_benchmark benchmark;
    for (size_t i = 0; work_benchmark(work, i, &benchmark); i++) {
        const struct benchmark *own = benchmark.own;
        size_t points = 0;
        struct buffer targets = {0};
        for (size_t j = 0; j < work->item_count; j++)
            points += belongs(&work->items[j], &benchmark);
        for (size_t j = 0; j < own->targets.count; j++)
            buffer_printf(&targets, "%s%s", j == 0 ? "" : ",", own->targets.items[j]);
        table_texts(&table, benchmark.recipe, own->name);
        table_cell(&table, "%zu", points);
        table_texts(&table, targets.size == 0 ? "" : targets.data, own->title == NULL ? "" : own->title);
        buffer_free(&targets);
    }
    table_finish(&table, stdout);
    for (size_t i = 0; verbose && work_benchmark(work, i, &benchmark); i++)
        for (size_t j = 0; j < work->item_count; j++)
            if (belongs(&work->items[j], &benchmark))
                command_print("%s/%s\n", benchmark.own->name, work->items[j].point);
}

static bool is_refused(const struct work_item *item, bool reported, const struct session_events *events)
{
    struct error error;
    if (work_refusal(item, &error) == STATUS_OK)
        return false;
    work_reduce(item, &error);
    if (reported)
        session_refuse(events, item->benchmark, item->point, &error);
    return true;
}

static int run(const struct options *options)
{
    struct requests requests;
    struct work work = {0};
    struct error error;
    if (options->metrics)
        return list_metrics(options);
    requests_fill(options, WORK_GPU_LISTED, &requests);
    enum status status = requests_refuse_for_suites(options, requests_of_programs, &error);
    if (status == STATUS_OK)
        status = work_open(&requests.selection, &requests.target, &work, &error);
    size_t refused = 0;
    bool named = options->input_count > 0; /* else these are all shipped recipes */
    for (size_t i = 0; status == STATUS_OK && i < work.item_count; i++)
        refused += is_refused(&work.items[i], named || options->verbose, &requests.shown.events);
    if (status == STATUS_OK && options->json)
        print_json(&work);
    else if (status == STATUS_OK)
        print_table(&work, options->verbose);
    session_report_points(&requests.shown.events);
    work_close(&work);
    if (status != STATUS_OK)
        return command_fail(&error);
    return refused > 0 && named ? STATUS_RECIPE : STATUS_OK;
}

const struct command command_list = {
    .name = "list",
    .arguments = "[RECIPE... | --metrics] [OPTIONS]",
    .summary = "lists recipes, their benchmarks, points and targets; or every metric",
    .details =

        "Without RECIPE, the command lists all shipped recipes. A RECIPE is a file, a folder, or the name "
        "of either under recipes/. -v also prints the name of every point. A point whose kernel is "
        "impossible is refused with the reason, and the exit code is 3. Without RECIPE, only -v prints "
        "such points, and the exit code is 0.\n"
        "\n"
        "--metrics lists the metrics that expect, tolerance and plot accept: the unit of each, the "
        "sources that observe it on this machine, and what it counts. -v adds the sources that do not "
        "work here.\n",
    .examples = "  trauma list -v traumagen-2001/dcache  # its points\n"
                "  trauma list --metrics  # what can be observed, and by what\n",
    .options = accepted,
    .run = run,
};
