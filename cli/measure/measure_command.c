/* trauma measure: one-line questions that a table answers. Each is a struct command and a row here. Those
 * that a recipe answers run it and print its points as a table. */
#include "cli/measure/measure_command.h"

#include "base/memory.h"
#include "base/text/suggest.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "cli/options/results_home.h"
#include "report/figure/figure_draw.h"
#include "report/level_table.h"
#include "report/metric_value.h"
#include "report/table.h"
#include "runner/evidence/evidence.h"
#include "runner/launch/placement.h"
#include "runner/results/result_point.h"
#include "runner/results/results.h"
#include "session/execute/run_points.h"
#include "session/find_machine.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- --node: a row for each NUMA node of the program, a column for each node of the data ---- */

/* The node on which the program ran and, for bandwidths, its operation. */
struct node_row {
    double from;
    const char *op;
};

struct node_grid {
    struct node_row *rows;
    double *nodes; /* of the data */
    size_t row_count, node_count;
};

static const char *op_of(const struct result_point *point)
{
    const char *op = result_parameter_text(point, "op");
    return op == NULL ? "" : op;
}

static bool is_in_row(const struct result_point *point, const struct node_row *row)
{
    return result_parameter(point, "from") == row->from && strcmp(op_of(point), row->op) == 0;
}

static void note(struct node_grid *grid, const struct result_point *point)
{
    double node = result_parameter(point, "node");
    size_t row = 0, column = 0;
    while (row < grid->row_count && !is_in_row(point, &grid->rows[row]))
        row++;
    while (column < grid->node_count && grid->nodes[column] != node)
        column++;
    if (row == grid->row_count)
        grid->rows[grid->row_count++] = (struct node_row){result_parameter(point, "from"), op_of(point)};
    if (column == grid->node_count)
        grid->nodes[grid->node_count++] = node;
}

static struct node_grid grid_of(const struct result_points *points)
{
    struct node_grid grid = {memory_zeroed(points->count + 1, sizeof *grid.rows),
                             memory_zeroed(points->count + 1, sizeof *grid.nodes), 0, 0};
    for (size_t i = 0; i < points->count; i++)
        note(&grid, &points->items[i]);
    return grid;
}

static const char withheld[] = "withheld: its repetitions give no value (see the warnings)";

static void add_cell(struct table *table, const struct result_point *point, const char *metric, double scale)
{
    struct metric_value seen;
    char text[192] = "-";
    const char *why = point == NULL ? NULL : point->error != NULL ? point->error : point->skipped;
    if (point != NULL && metric_value_of(point, metric, &seen)) {
        metric_value_write(&seen, scale, 4, text, sizeof text);
        table_doubt(table, metric_doubt(seen.low, seen.doubt), point->name);
    } else if (point != NULL) {
        table_note(table, why != NULL ? why : withheld, text, sizeof text);
    }
    table_cell(table, "%s", text);
}

static const struct result_point *point_at(const struct result_points *points, const struct node_row *row,
                                           double node)
{
    for (size_t i = 0; i < points->count; i++)
        if (is_in_row(&points->items[i], row) && result_parameter(&points->items[i], "node") == node)
            return &points->items[i];
    return NULL;
}

static void print(const struct result_points *points, const char *metric, double scale, bool has_op)
{
    struct node_grid grid = grid_of(points);
    struct table table = table_of(has_op ? "op|>from node" : ">from node");
    for (size_t i = 0; i < grid.node_count; i++) {
        char title[48];
        snprintf(title, sizeof title, "node %.0f", grid.nodes[i]);
        table_add_column(&table, title, TABLE_RIGHT);
    }
    for (size_t row = 0; row < grid.row_count; row++) {
        if (has_op)
            table_cell(&table, "%s", grid.rows[row].op);
        table_cell(&table, "%.0f", grid.rows[row].from);
        for (size_t i = 0; i < grid.node_count; i++)
            add_cell(&table, point_at(points, &grid.rows[row], grid.nodes[i]), metric, scale);
    }
    table_finish(&table, stdout);
    free(grid.rows);
    free(grid.nodes);
}

static void print_nodes_latency(const struct result_points *points)
{
    printf("Load latency of memory in nanoseconds, by the NUMA node of the data\n\n");
    print(points, "latency.MEM_ns", 1, false);
}

static void print_nodes_bandwidth(const struct result_points *points)
{
    printf(
        "Bandwidth of memory in GB/s of all processors of a node together, by the NUMA node of the data\n\n");
    print(points, "bandwidth.MEM", 1e-9, true);
}

/* ---- the run ---- */

/* "N:M", reads and writes: whole numbers whose sum is 1 to 16. */
static bool is_mix(const char *op)
{
    char rest;
    unsigned reads, writes;
    return sscanf(op, "%2u:%2u%c", &reads, &writes, &rest) == 2 && reads + writes >= 1 &&
           reads + writes <= 16;
}

static enum status check_op(const char *op, const char *const *ops, bool mixes, struct error *error)
{
    size_t count = 0;
    if (op == NULL || (mixes && is_mix(op)))
        return STATUS_OK;
    for (; ops[count] != NULL; count++)
        if (strcmp(op, ops[count]) == 0)
            return STATUS_OK;
    error_set(error, STATUS_USAGE, "--op: expected %s, %s or %s%s, found '%s'", ops[0], ops[1], ops[2],
              mixes ? ", or N:M, reads to writes, of 1 to 16 together" : "", op);
    suggest_hint(error, op, ops, count, "without --op, each one that the recipe sweeps is measured");
    return STATUS_USAGE;
}

static enum status check_options(const struct options *options, const struct measure_recipe *question,
                                 struct error *error)
{
    enum figure_format format;
    if (options->input_count > 0) {
        error_set(error, STATUS_USAGE, "trauma %s takes no argument '%s'", question->command,
                  options->inputs[0]);
        error_hint(error, "--filter %s selects points whose name has it; trauma %s --help lists all options",
                   options->inputs[0], question->command);
        return STATUS_USAGE;
    }
    if (!evidence_check_names(options->counters, error) ||
        check_op(options->op, question->ops, question->mixes, error) != STATUS_OK)
        return error->code;
    if (options->node != NULL && strcmp(options->node, "all") != 0 &&
        (options->node[0] == '\0' || options->node[strspn(options->node, "0123456789")] != '\0'))
        return error_set(error, STATUS_USAGE, "--node is \"%s\": expected a number or all", options->node);
    if (options->node != NULL && options->threads != 0)
        return error_set(error, STATUS_USAGE,
                         "--node runs on all processors of a node: expected --node or --threads, not both");
    enum status status = output_kind_check(options->output, ".jsonl", error);
    if (status == STATUS_OK && options->figure != NULL)
        status = figure_format_of(options->figure, &format, error);
    return status == STATUS_OK && options->figure != NULL ? figure_check_gnuplot(error) : status;
}

static void add_point(void *context, struct result_point *point)
{
    result_points_add(context, point);
}

/* The options for the question's recipe, and the texts that they point to. */
struct completed {
    struct options options;
    char recipe[64], threads[32], streams[32], nodes[1024], filter[1024];
};

/* The machine's NUMA nodes, as values of a parameter. */
static enum status list_nodes(const struct options *options, char *text, size_t size, struct error *error)
{
    struct machine machine;
    enum status status = find_machine(
        options->machine, options->sysfs_root == NULL ? "" : options->sysfs_root, &machine, error);
    if (status == STATUS_OK)
        machine_node_list(&machine, text, size);
    machine_free(&machine);
    return status;
}

/* Adds the question's recipe and settings to the command line; the user's own settings come last and win. */
static enum status complete(const struct options *given, const struct measure_recipe *question,
                            struct completed *whole, struct error *error)
{
    struct options *options = &whole->options;
    struct override own[6];
    size_t count = 0, threads = given->threads > 0 ? (size_t)given->threads : 0;
    bool matrix = given->node != NULL && question->nodes != NULL;
    const char *begins = matrix ? question->nodes : question->filter;
    if (given->threads == OPTIONS_ALL && placement_count(&threads, error) != STATUS_OK)
        return error->code;
    if (question->recipe != NULL)
        snprintf(whole->recipe, sizeof whole->recipe, "%s", question->recipe);
    else
        snprintf(whole->recipe, sizeof whole->recipe, "measure/%s",
                 matrix ? "nodes" : strrchr(question->command, ' ') + 1);
    if (given->node != NULL && strcmp(given->node, "all") != 0)
        own[count++] = (struct override){"node", given->node};
    else if (given->node != NULL && !matrix) {
        enum status status = list_nodes(given, whole->nodes, sizeof whole->nodes, error);
        if (status != STATUS_OK)
            return status;
        own[count++] = (struct override){"node", whole->nodes};
    }
    if (given->node != NULL && !matrix)
        own[count++] = (struct override){"level", "MEM"};
    snprintf(whole->threads, sizeof whole->threads, "%zu", threads);
    if (given->op != NULL)
        own[count++] = (struct override){"op", given->op};
    if (threads > 0)
        own[count++] = (struct override){"threads", whole->threads};
    snprintf(whole->streams, sizeof whole->streams, "%.0f", given->streams);
    if (given->streams > 0)
        own[count++] = (struct override){"streams", whole->streams};
    if (count + given->override_count > OPTIONS_MOST)
        return error_set(error, STATUS_USAGE, "--set is given more than %zu times", OPTIONS_MOST - count);
    *options = *given;
    memcpy(options->overrides, own, count * sizeof *own);
    memcpy(options->overrides + count, given->overrides, given->override_count * sizeof *own);
    options->override_count = count + given->override_count;
    options->inputs[0] = whole->recipe;
    options->input_count = 1;
    if (begins != NULL) {
        int length = snprintf(whole->filter, sizeof whole->filter, "^%s.*(%s)", begins,
                              given->filter == NULL ? "" : given->filter);
        if (length < 0 || (size_t)length >= sizeof whole->filter)
            return error_set(error, STATUS_USAGE, "--filter is longer than %zu characters",
                             sizeof whole->filter);
        options->filter = whole->filter;
    }
    options->time = given->time > 0 ? given->time : question->time_s;
    options->reps = given->reps > 0 ? given->reps : question->reps;
    options->counters = given->counters != NULL ? given->counters : question->counters;
    options->power = given->power != NULL ? given->power : question->power;
    return STATUS_OK;
}

/* False if the user requests power, a number or length of repetitions, or --resume: those are per point. */
static bool takes_pairs(const struct options *options, const struct measure_recipe *question)
{
    return question->pairs && strcmp(options->power, "none") == 0 && !(options->time > 0) &&
           !(options->reps > 0) && !options->resume;
}

static enum status run_recipe(const struct options *options, const struct measure_recipe *question,
                              const char *path, struct result_points *points, struct run_outcome *outcome,
                              struct error *error)
{
    struct requests requests;
    requests_fill(options, WORK_GPU_NEEDED, &requests);
    requests.target.probe_shares = question->shares;
    const struct run_request request = {.evidence = requests.evidence,
                                        .path = path,
                                        .power = options->power,
                                        .time_s = options->time,
                                        .reps = options->reps,
                                        .resume = options->resume,
                                        .temporary = options->output == NULL,
                                        .pairs = takes_pairs(options, question),
                                        .recorded = add_point,
                                        .context = points};
    return run_points(&request, &requests.selection, &requests.target, outcome, error);
}

static void print_points(const struct options *options, const struct measure_recipe *question,
                         const struct result_points *points)
{
    bool whole = options->json && question->print_json == NULL;
    for (size_t i = 0; whole && i < points->count; i++) {
        struct buffer line = {0};
        result_point_print(&points->items[i], &line);
        command_print_json_lines(&line);
    }
    if (whole)
        return;
    if (options->json)
        question->print_json(points);
    else if (options->csv)
        question->print_csv(points);
    else if (options->node != NULL && question->print_nodes != NULL)
        question->print_nodes(points);
    else
        question->print(points);
}

int measure_recipe(const struct options *given, const struct measure_recipe *question)
{
    struct completed whole;
    struct error error;
    struct results_home home = {0};
    struct run_outcome outcome = {0};
    struct result_points points = {0};
    enum status status = check_options(given, question, &error);
    if (status == STATUS_OK)
        status = complete(given, question, &whole, &error);
    if (status == STATUS_OK)
        status = results_home_open(given->output, &home, &error);
    if (status == STATUS_OK)
        status = run_recipe(&whole.options, question, home.path, &points, &outcome, &error);
    result_points_sort(&points);
    if (outcome.done > 0)
        print_points(given, question, &points);
    if (outcome.pairs_note[0] != '\0' && outcome.done > 0 && !given->json && !given->csv)
        printf("%s\n", outcome.pairs_note);
    if (status == STATUS_OK && given->figure != NULL)
        status = plot_results(given, home.path, given->figure, &error);
    results_home_close(&home);
    result_points_free(&points);
    if (status != STATUS_OK)
        return command_fail(&error);
    enum status judged = tally_status(&outcome.tally, false);
    return judged == STATUS_OK && outcome.tally.skipped > 0 ? STATUS_UNAVAILABLE : (int)judged;
}

/* ---- questions whose tables are in report/ ---- */

static const char *const accepted_latency[] = {"node", MEASURE_RECIPE_OPTIONS, NULL};

static void print_latency(const struct result_points *points)
{
    level_table_latency(points, stdout);
}

static int run_latency(const struct options *options)
{
    static const struct measure_recipe question = {.command = "measure latency",
                                                   .time_s = 0.1,
                                                   .reps = 5,
                                                   .counters = "perf,timing",
                                                   .power = "none",
                                                   .shares = true,
                                                   .nodes = "node-latency/",
                                                   .print = print_latency,
                                                   .print_nodes = print_nodes_latency};
    return measure_recipe(options, &question);
}

static const struct command measure_latency = {
    .name = "measure latency",
    .arguments = "[--node N|all] [OPTIONS]",
    .summary = "load latency of each level, in cycles and nanoseconds",
    .details =

        "In a pointer chase, each load waits for the one before, and one level serves all of them. "
        "Without counters, a cycle is that of a chain of dependent additions, one per cycle, which runs "
        "in turn with the chase. Brackets hold 95 % intervals. If others share the last cache, a brief "
        "probe finds the share that a core has now; its latency is printed only if it is observed to "
        "serve the loads.\n"
        "\n"
        "--node measures the latency of memory on node N, or on all nodes, from each NUMA node that has "
        "processors (recipes/measure/nodes.lua).\n",
    .examples = "  trauma measure latency --figure latency.svg\n"
                "  trauma measure latency --node all\n",
    .options = accepted_latency,
    .run = run_latency,
};

static const char *const accepted_bandwidth[] = {"op", "threads", "node", MEASURE_RECIPE_OPTIONS, NULL};

static void print_bandwidth(const struct result_points *points)
{
    level_table_bandwidth(points, stdout);
}

static int run_bandwidth(const struct options *options)
{
    static const char *const ops[] = {"read", "write", "copy", NULL};
    static const struct measure_recipe question = {.command = "measure bandwidth",
                                                   .ops = ops,
                                                   .time_s = 0.1,
                                                   .reps = 5,
                                                   .counters = "perf,timing",
                                                   .power = "none",
                                                   .shares = true,
                                                   .nodes = "node-bandwidth/",
                                                   .print = print_bandwidth,
                                                   .print_nodes = print_nodes_bandwidth};
    return measure_recipe(options, &question);
}

static const struct command measure_bandwidth = {
    .name = "measure bandwidth",
    .arguments = "[--op read|write|copy] [--threads N|all] [--node N|all] [OPTIONS]",
    .summary = "bytes per second of each level, read, written and copied",
    .details =

        "A working set that fits the level is read, written or copied in address order, by the machine's "
        "widest accesses. The bytes of a copy count twice, as read and as written. With --threads N, N "
        "copies run together, each on its own core and with its own part of L3 and memory; the table has "
        "their sum and each copy's part. Brackets hold 95 % intervals.\n"
        "\n"
        "--node measures memory only: all processors of each NUMA node together access the data of node "
        "N, or of each node in turn.\n",
    .examples = "  trauma measure bandwidth --op read\n"
                "  trauma measure bandwidth --set width=32 --filter L2  # by 32-byte accesses\n"
                "  trauma measure bandwidth --threads all --filter MEM\n",
    .options = accepted_bandwidth,
    .run = run_bandwidth,
};

static const char *const accepted_stress[] = {"threads", MEASURE_RECIPE_OPTIONS, NULL};

static void print_stress(const struct result_points *points)
{
    stress_table(points, stdout);
}

static int run_stress(const struct options *options)
{
    static const struct measure_recipe question = {.command = "measure stress",
                                                   .time_s = 0.05,
                                                   .reps = 3,
                                                   .counters = "perf,timing",
                                                   .print = print_stress};
    return measure_recipe(options, &question);
}

static const struct command measure_stress = {
    .name = "measure stress",
    .arguments = "[--threads N|all] [OPTIONS]",
    .summary = "the mix of instructions that draws the most power, on all cores",
    .details =

        "Vector multiply-adds run beside loads and stores that stream through the caches down to a level, "
        "in each width and ratio, on all cores (on N with --threads N). If most mixes have a trustworthy "
        "power, they are ordered by dynamic power, and the others follow; otherwise the order is by IPC "
        "times vector width. The table states which applies. Its last line is the command that runs the "
        "first mix for ten minutes. Mind the cooling.\n",
    .examples = "  trauma measure stress --threads 1\n",
    .options = accepted_stress,
    .run = run_stress,
};

/* ---- the command ---- */

static const struct command *const questions[] = {
    &measure_latency, &measure_bandwidth, &measure_instruction, &measure_cores,
    &measure_loaded,  &measure_sharing,   &measure_stress,      NULL,
};

const struct command command_measure = {
    .name = "measure",
    .arguments = "QUESTION [OPTIONS]",
    .summary = "answers a question about this machine with a table",
    .details =

        "Each question takes some seconds; loaded, sharing and stress take some minutes if other programs "
        "run. It prints a table with intervals and the source of each number. Its recipe, "
        "recipes/measure/NAME.lua, can be copied and changed: `trauma run measure/NAME`.\n",
    .parts = questions,
};
