/* trauma measure latency: how long a load takes, by the level that serves it. */
#include "cli/measure/measure_command.h"
#include "cli/measure/measure_recipe.h"
#include "report/level_table.h"

#include <stdio.h>

static const char *const accepted[] = {MEASURE_RECIPE_OPTIONS, NULL};

static void print(const json_t *points)
{
    level_table_latency(points, stdout);
}

static int run(const struct options *options)
{
    static const struct measure_recipe question = {.command = "measure latency",
                                                   .recipe = "measure/latency",
                                                   .time_s = 0.1,
                                                   .reps = 5,
                                                   .counters = "perf,timing",
                                                   .power = "none",
                                                   .shares = true,
                                                   .print = print};
    return measure_recipe(options, &question);
}

const struct command measure_latency = {
    .name = "measure latency",
    .arguments = "[OPTIONS]",
    .summary = "load latency of each level, in cycles and nanoseconds",
    .details =
        "Each load of a chase waits for the one before, and one level serves them all. Without counters, "
        "cycles are those of a chain of dependent additions, one per cycle, which runs in turn with the "
        "chase. Brackets hold 95 % intervals. Where others share the last cache, a brief probe finds what a "
        "core has of it now, and its latency is printed only if it is seen to serve the loads.\n",
    .examples = "  trauma measure latency --figure latency.svg\n",
    .options = accepted,
    .run = run,
};
