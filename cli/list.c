/* trauma list: recipes, their benchmarks, points and targets. */
#include "base/json.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "report/table.h"

#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"machine", "index",   "target", "filter",  "set", "seed",
                                       "json",    "metrics", "quiet",  "verbose", NULL};

static bool belongs(const struct work_item *item, const json_t *benchmark)
{
    return strcmp(item->benchmark, json_string_or(benchmark, "name", "")) == 0 &&
           strcmp(item->recipe, json_string_or(benchmark, "recipe", "")) == 0;
}

static json_t *points_of(const struct work *work, const json_t *benchmark)
{
    json_t *points = json_array();
    for (size_t i = 0; i < work->item_count; i++)
        if (belongs(&work->items[i], benchmark))
            json_array_append_new(points, json_string(work->items[i].point));
    return points;
}

static void join(const json_t *names, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < json_array_size(names) && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i == 0 ? "" : ",",
                                 json_string_value(json_array_get(names, i)));
}

static void print_table(const json_t *benchmarks, bool verbose)
{
    struct table table = table_of("recipe|benchmark|>points|targets|title");
    for (size_t i = 0; i < json_array_size(benchmarks); i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        const json_t *points = json_object_get(benchmark, "points");
        char targets[128];
        join(json_object_get(benchmark, "targets"), targets, sizeof targets);
        table_texts(&table, json_string_or(benchmark, "recipe", ""), json_string_or(benchmark, "name", ""));
        table_cell(&table, "%zu", json_array_size(points));
        table_texts(&table, targets, json_string_or(benchmark, "title", ""));
    }
    table_finish(&table, stdout);
    for (size_t i = 0; verbose && i < json_array_size(benchmarks); i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        const json_t *points = json_object_get(benchmark, "points");
        for (size_t j = 0; j < json_array_size(points); j++)
            command_print("%s/%s\n", json_string_or(benchmark, "name", ""),
                          json_string_value(json_array_get(points, j)));
    }
}

static bool is_refused(const struct work_item *item, bool told, const struct session_events *events)
{
    struct error error;
    if (work_refusal(item, &error) == STATUS_OK)
        return false;
    work_reduce(item, &error);
    if (told)
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
    bool asked = options->input_count > 0; /* nobody asked for all that ships */
    for (size_t i = 0; status == STATUS_OK && i < work.item_count; i++)
        refused += is_refused(&work.items[i], asked || options->verbose, &requests.shown.events);
    if (status == STATUS_OK) {
        json_t *benchmarks = work_benchmarks(&work);
        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
            json_t *benchmark = json_array_get(benchmarks, i);
            json_object_set_new(benchmark, "points", points_of(&work, benchmark));
        }
        if (options->json)
            command_print_json(benchmarks, 2);
        else
            print_table(benchmarks, options->verbose);
        json_decref(benchmarks);
    }
    session_tell_points(&requests.shown.events);
    work_close(&work);
    if (status != STATUS_OK)
        return command_fail(&error);
    return refused > 0 && asked ? STATUS_RECIPE : STATUS_OK;
}

const struct command command_list = {
    .name = "list",
    .arguments = "[RECIPE... | --metrics] [OPTIONS]",
    .summary = "lists recipes, their benchmarks, points and targets; or every metric",
    .details =

        "Without RECIPE, the command lists all shipped recipes. A RECIPE is a file, a folder, or the name of "
        "either under recipes/. -v also lists the name of every point. If its recipe was named, a point "
        "whose "
        "kernel is impossible is named with the reason, and the exit code is 3; of all recipes, -v names "
        "them.\n"
        "\n"
        "--metrics lists what expect, tolerance and plot can name: each metric's unit, the sources that "
        "observe it here, and what it counts; with -v every source.\n",
    .examples = "  trauma list -v traumagen-2001/dcache  # its points\n"
                "  trauma list --metrics  # what can be observed, and by what\n",
    .options = accepted,
    .run = run,
};
