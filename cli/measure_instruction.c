/* trauma measure instruction: latency and rate of single instructions. */
#include "cli/measure_command.h"
#include "cli/measure_recipe.h"
#include "report/run_table.h"

#include <stdio.h>

static const char *const accepted[] = {MEASURE_RECIPE_OPTIONS, NULL};

static void print(const json_t *points)
{
    run_table_print(points, stdout);
}

static int run(const struct options *options)
{
    static const struct measure_recipe question = {.command = "measure instruction",
                                                   .recipe = "measure/instruction",
                                                   .time_s = 0.01,
                                                   .reps = 5,
                                                   .print = print};
    return measure_recipe(options, &question);
}

const struct command measure_instruction = {
    .name = "measure instruction",
    .arguments = "[OPTIONS]",
    .summary = "latency and instructions per cycle of single instructions",
    .options = accepted,
    .run = run,
};
