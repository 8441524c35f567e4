/* trauma list --metrics: every metric with its unit, what it counts, who observes it, and who of them works
 * here. */
#ifndef CLI_LIST_METRICS_H
#define CLI_LIST_METRICS_H

#include "cli/options/options.h"

/* Prints the table, or with --json a line for each metric. Returns the exit code. */
int list_metrics(const struct options *options);

#endif
