/* The questions of `trauma measure`, each a command of its own, and what those have in common that a recipe
 * answers. */
#ifndef CLI_MEASURE_MEASURE_COMMAND_H
#define CLI_MEASURE_MEASURE_COMMAND_H

#include "cli/command.h"

extern const struct command measure_latency;
extern const struct command measure_bandwidth;
extern const struct command measure_instruction;
extern const struct command measure_stress;
extern const struct command measure_cores;
extern const struct command measure_sharing;

#endif
