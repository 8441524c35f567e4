/* trauma sensors --events: which events make a metric on a processor, and what stands for the papers'
 * counters.
 */
#ifndef CLI_SENSORS_EVENTS_H
#define CLI_SENSORS_EVENTS_H

#include "cli/options.h"

/* Prints the tables, or with --json one document, of this processor or of the family named as the argument;
 * "all" names the families. The exit code. */
int sensors_events(const struct options *options);

#endif
