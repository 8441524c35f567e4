/* Draws a results file as `trauma plot` does, for the commands that measure and draw at once. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "cli/command.h"

/* Draws what the results' recipes describe into output, which ends in .svg or .png. Warns of panels that are
 * left out. STATUS_USAGE when there is nothing to draw, STATUS_UNAVAILABLE when none of it was measured. */
enum status plot_results(const struct options *options, const char *results, const char *output,
                         struct error *error);

#endif
