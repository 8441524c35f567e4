/* trauma measure bandwidth: bytes per second of each level, read, written and copied. */
#include "base/text/suggest.h"
#include "cli/measure/measure_command.h"
#include "cli/measure/measure_recipe.h"
#include "report/level_table.h"

#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"op", "threads", MEASURE_RECIPE_OPTIONS, NULL};

static const char *const operations[] = {"read", "write", "copy"};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

static void print(const json_t *points)
{
    level_table_bandwidth(points, stdout);
}

static enum status check_op(const struct options *options, struct error *error)
{
    for (size_t i = 0; options->op != NULL && i < OPERATIONS; i++)
        if (strcmp(options->op, operations[i]) == 0)
            return STATUS_OK;
    if (options->op == NULL)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--op: expected read, write or copy, found '%s'", options->op);
    suggest_hint(error, options->op, operations, OPERATIONS, "without --op, all three are measured");
    return STATUS_USAGE;
}

static int run(const struct options *options)
{
    struct error error = {0};
    struct override settings[2];
    char threads[32];
    struct measure_recipe question = {.command = "measure bandwidth",
                                      .recipe = "measure/bandwidth",
                                      .overrides = settings,
                                      .time_s = 0.1,
                                      .reps = 5,
                                      .counters = "perf,timing",
                                      .power = "none",
                                      .shares = true,
                                      .print = print};
    if (check_op(options, &error) != STATUS_OK)
        return command_fail(&error);
    if (options->op != NULL)
        settings[question.override_count++] = (struct override){"op", options->op};
    snprintf(threads, sizeof threads, "%.0f", options->threads);
    if (options->threads > 0)
        settings[question.override_count++] = (struct override){"threads", threads};
    return measure_recipe(options, &question);
}

const struct command measure_bandwidth = {
    .name = "measure bandwidth",
    .arguments = "[--op read|write|copy] [--threads N] [OPTIONS]",
    .summary = "bytes per second of each level, read, written and copied",
    .details = "A working set that the level holds is read, written or copied in address order, by the "
               "widest accesses of the machine. A copy's bytes count twice, read and written. With --threads "
               "N, N copies run together, each on a core and a part of L3 and memory of its own; the table "
               "has their sum, and each one's part. Brackets hold 95 % intervals.\n",
    .examples = "  trauma measure bandwidth --op read\n"
                "  trauma measure bandwidth --set width=32 --filter L2  # by 32-byte accesses\n"
                "  trauma measure bandwidth --threads 2 --filter L3\n",
    .options = accepted,
    .run = run,
};
