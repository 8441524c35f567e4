/* The sensors that a run reads, as selected by --power. */
#ifndef RUNNER_POWER_SENSOR_LIST_H
#define RUNNER_POWER_SENSOR_LIST_H

#include "base/error.h"
#include "runner/power/sensor.h"
#include "runner/power/sensor_request.h"

#include <stddef.h>

enum { METERS_MOST = 16, METER_CHANNELS = 64 };

/* One sensor that was found. */
struct meter {
    const struct power_sensor *sensor;
    struct sensor_request request;
    double period_s; /* 0: it sends at its own pace */
    struct sensor_channel *channels;
    size_t count;
};

struct meters {
    struct meter meters[METERS_MOST];
    size_t count;
    size_t channel_count; /* of all */
};

/* Finds the sensors in list (sensor_request.h; NULL: all that detection finds; "none": none). If there is no
 * power sensor, *why_none has the reason. STATUS_USAGE for a wrong word, STATUS_UNAVAILABLE when an external
 * meter is not there. Free with meters_free in every case. */
enum status meters_find(const char *list, const char *root, struct meters *meters, struct error *why_none);

/* How many channels deliver power or energy. */
size_t meters_power_channels(const struct meters *meters);

void meters_free(struct meters *meters);

#endif
