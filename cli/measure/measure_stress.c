/* trauma measure stress: the mix of instructions that draws the most power here. */
#include "cli/measure/measure_command.h"
#include "cli/measure/measure_recipe.h"
#include "report/stress_table.h"

#include <stdio.h>

static const char *const accepted[] = {"threads", MEASURE_RECIPE_OPTIONS, NULL};

static void print(const json_t *points)
{
    stress_table(points, stdout);
}

static int run(const struct options *options)
{
    struct override settings[1];
    char threads[32];
    struct measure_recipe question = {.command = "measure stress",
                                      .recipe = "measure/stress",
                                      .overrides = settings,
                                      .time_s = 0.05,
                                      .reps = 3,
                                      .counters = "perf,timing",
                                      .print = print};
    snprintf(threads, sizeof threads, "%.0f", options->threads);
    if (options->threads > 0)
        settings[question.override_count++] = (struct override){"threads", threads};
    return measure_recipe(options, &question);
}

const struct command measure_stress = {
    .name = "measure stress",
    .arguments = "[--threads N] [OPTIONS]",
    .summary = "the mix of instructions that draws the most power, on all cores",
    .details =

        "Vector multiply-adds, beside loads and stores that stream through the caches down to a level, run "
        "on all cores (--threads N: on so many), in each width and ratio. Where most mixes have a "
        "trustworthy power, they are ordered by dynamic power, and the others follow; elsewhere by IPC times "
        "vector width. The table says which. Its last line is the command that runs the first mix for ten "
        "minutes. Mind the cooling.\n",
    .examples = "  trauma measure stress --threads 1\n",
    .options = accepted,
    .run = run,
};
