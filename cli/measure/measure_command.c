/* trauma measure: questions that one line asks and a table answers. A new one is a struct command of its own
 * and a row here. */
#include "cli/measure/measure_command.h"
#include "cli/command.h"

#include <stddef.h>

static const struct command *const questions[] = {
    &measure_latency,
    &measure_bandwidth,
    &measure_instruction,
    &measure_cores,
    &measure_sharing,
    &measure_stress,
    NULL,
};

const struct command command_measure = {
    .name = "measure",
    .arguments = "QUESTION [OPTIONS]",
    .summary = "answers a question about this machine with a table",
    .details =

        "Each question measures for some seconds and prints a table with intervals and where each number is "
        "from. It has a recipe of its name under recipes/measure/, which can be copied and changed: `trauma "
        "run measure/NAME`.\n",
    .parts = questions,
};
