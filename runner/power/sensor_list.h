/* The sensors that a run reads, as selected by --power. */
#ifndef RUNNER_POWER_SENSOR_LIST_H
#define RUNNER_POWER_SENSOR_LIST_H

#include "base/error.h"
#include "runner/power/sensor.h"
#include "runner/power/sensor_request.h"

#include <stdbool.h>
#include <stddef.h>

enum { SENSOR_LIST_MOST = 16, SENSOR_LIST_CHANNELS = 64 };

/* One sensor that was found. */
struct listed_sensor {
    const struct power_sensor *sensor;
    struct sensor_request request;
    bool named;      /* by the user */
    double period_s; /* 0: it sends at its own pace */
    struct sensor_channel *channels;
    size_t count;
};

struct sensor_list {
    struct listed_sensor meters[SENSOR_LIST_MOST];
    size_t count;
    size_t channel_count; /* of all */
};

/* Finds the sensors in list (sensor_request.h; "none": none). Without a list (NULL) it is that of the
 * variable TRAUMA_POWER if root is "", else all sensors that are detected. If there is no power sensor,
 * *why_none has the reason. STATUS_USAGE for a wrong word, STATUS_UNAVAILABLE when an external meter is not
 * there. Free with sensor_list_free in every case. */
enum status sensor_list_find(const char *list, const char *root, struct sensor_list *meters,
                             struct error *why_none);

/* How many usable channels deliver power or energy. */
size_t sensor_list_power_channels(const struct sensor_list *meters);

size_t sensor_list_usable_channels(const struct sensor_list *meters);

void sensor_list_free(struct sensor_list *meters);

#endif
