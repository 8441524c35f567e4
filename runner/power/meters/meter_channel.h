/* The one channel of an external meter. */
#ifndef RUNNER_POWER_METERS_METER_CHANNEL_H
#define RUNNER_POWER_METERS_METER_CHANNEL_H

#include "runner/power/sensor.h"
#include "runner/power/sensor_request.h"

/* A channel for all power that the meter at the request's address measures. Its label is the request's, else
 * the given one. The request's label also names the channel in results and exports, in place of the address.
 */
struct sensor_channel meter_channel(const struct sensor_request *request, const char *label);

#endif
