/* trauma sensors --measure: reads every sensor for a while and reports how its value changes. */
#ifndef CLI_MACHINE_SENSORS_MEASURE_H
#define CLI_MACHINE_SENSORS_MEASURE_H

#include "cli/options/options.h"

/* Measures the sensors that --power names, or all that are found. Returns the exit code. */
int sensors_measure(const struct options *options);

#endif
