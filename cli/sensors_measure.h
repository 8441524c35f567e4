/* trauma sensors --measure: reads every sensor for a while and says how it moves. */
#ifndef CLI_SENSORS_MEASURE_H
#define CLI_SENSORS_MEASURE_H

#include "cli/options.h"

/* Of the sensors that --power names, or all that are found: returns the exit code. */
int sensors_measure(const struct options *options);

#endif
