/* The sensors that a run reads, as --power asks for them. */
#ifndef RUNNER_POWER_METERS_H
#define RUNNER_POWER_METERS_H

#include "base/error.h"
#include "runner/power/request.h"
#include "runner/power/sensor.h"

#include <stddef.h>

enum { METERS_MOST = 16, METER_CHANNELS = 64 };

/* One sensor that was found. */
struct meter {
    const struct power_sensor *sensor;
    struct sensor_request request;
    double period_s; /* 0: it sends when it pleases */
    struct sensor_channel *channels;
    size_t count;
};

struct meters {
    struct meter meters[METERS_MOST];
    size_t count;
    size_t channel_count; /* of all */
};

/* Finds the sensors that list asks for (request.h; NULL: all that are found by looking; "none" none).
 * *why_none says why there is none of power when there is none. STATUS_USAGE for a word that is wrong,
 * STATUS_UNAVAILABLE when an external
 * meter is not there. Free with meters_free in every case. */
enum status meters_find(const char *list, const char *root, struct meters *meters, struct error *why_none);

/* How many channels tell power or energy. */
size_t meters_power_channels(const struct meters *meters);

void meters_free(struct meters *meters);

#endif
