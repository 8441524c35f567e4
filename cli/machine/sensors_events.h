/* trauma sensors --events: which events make up a metric on a processor, and the substitutes for the papers'
 * counters. */
#ifndef CLI_MACHINE_SENSORS_EVENTS_H
#define CLI_MACHINE_SENSORS_EVENTS_H

#include "cli/options/options.h"

/* Prints the tables, or with --json one document, for this processor or the family named as the argument;
 * "all" lists the families. Returns the exit code. */
int sensors_events(const struct options *options);

#endif
