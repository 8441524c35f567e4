/* Checks that a sensor delivers values before a run relies on it. */
#ifndef RUNNER_POWER_METER_TRY_H
#define RUNNER_POWER_METER_TRY_H

#include "runner/power/sensor_list.h"

/* Opens the meter, reads until each of its channels has delivered a value, and closes it.
 * values[meter->count] are NAN if none came within seconds. STATUS_UNAVAILABLE with the reason when it cannot
 * be opened or delivered nothing at all. */
enum status meter_try(const struct meter *meter, double *values, struct error *error);

#endif
