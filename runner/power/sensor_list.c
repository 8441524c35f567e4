#include "runner/power/sensor_list.h"

#include "base/memory.h"
#include "base/text/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 32 };
static const double LONGEST_PERIOD_S = 3600;
static const double SHORTEST_PERIOD_S = 1e-4;

static enum status unknown(const char *name, struct error *error)
{
    const char *names[NAMES_MOST] = {"none"};
    size_t count = 1;
    for (size_t i = 0; power_sensors[i] != NULL && count < NAMES_MOST; i++)
        names[count++] = power_sensors[i]->name;
    error_set(error, STATUS_USAGE, "there is no power sensor '%s'", name);
    suggest_hint(error, name, names, count, "trauma sensors lists them");
    return STATUS_USAGE;
}

static enum status check(const struct power_sensor *sensor, const struct listed_sensor *meter,
                         struct error *error)
{
    const struct sensor_request *request = &meter->request;
    if (sensor->external == (request->address[0] != '\0'))
        return request_check(request, sensor->settings, error);
    if (sensor->external) {
        error_set(error, STATUS_USAGE, "--power: the meter '%s' needs its path", sensor->name);
        error_hint(error, "give its path, as in --power %s", sensor->example);
    } else {
        error_set(error, STATUS_USAGE, "--power: %s is detected and accepts no address, found '%s'",
                  sensor->name, request->address);
        error_hint(error, "use %s alone", sensor->name);
    }
    return STATUS_USAGE;
}

static bool is_taken(const struct sensor_list *meters, const char *name)
{
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            if (strcmp(meters->meters[i].channels[j].name, name) == 0)
                return true;
    return false;
}

/* Makes the channels' names unique, by which results identify them: two sensors that read columns of one file
 * would have equal names. */
static void make_unique(const struct sensor_list *meters, struct listed_sensor *meter)
{
    for (size_t i = 0; i < meter->count; i++) {
        char *name = meter->channels[i].name;
        size_t length = strlen(name);
        for (unsigned number = 2; is_taken(meters, name) && number < 2 * SENSOR_LIST_MOST; number++)
            snprintf(name + length, SENSOR_NAME_BYTES - length, "#%u", number);
    }
}

/* Finds the sensor of the request, and adds it if it has channels. */
static enum status add(const struct power_sensor *sensor, const struct sensor_request *request,
                       struct sensor_list *meters, struct error *error)
{
    struct listed_sensor meter = {.sensor = sensor, .request = *request};
    enum status status = check(sensor, &meter, error);
    if (status == STATUS_OK && sensor->period_s > 0)
        status = request_number(request, "period", sensor->period_s, SHORTEST_PERIOD_S, LONGEST_PERIOD_S,
                                &meter.period_s, error);
    if (status != STATUS_OK)
        return status;
    if (meters->count == SENSOR_LIST_MOST)
        return error_set(error, STATUS_USAGE, "--power: more than %d sensors", SENSOR_LIST_MOST);
    meter.channels = memory_zeroed(SENSOR_LIST_CHANNELS, sizeof *meter.channels);
    status = sensor->find(request, meter.channels, SENSOR_LIST_CHANNELS, &meter.count, error);
    if (status != STATUS_OK) {
        free(meter.channels);
        return status;
    }
    make_unique(meters, &meter);
    meters->meters[meters->count++] = meter;
    meters->channel_count += meter.count;
    return STATUS_OK;
}

static void find_all(const char *root, struct sensor_list *meters, struct error *why_none)
{
    for (size_t i = 0; power_sensors[i] != NULL; i++) {
        const struct power_sensor *sensor = power_sensors[i];
        struct error why_not;
        if (sensor->external)
            continue;
        enum status status = add(sensor, &(struct sensor_request){.root = root}, meters, &why_not);
        if (status != STATUS_OK && sensor->rank > 0 && why_none->message[0] == '\0')
            *why_none = why_not;
    }
}

/* Sets *error to the reason for a missing sensor even if the run can continue. */
static enum status find_named(const char *list, const char *root, struct sensor_list *meters,
                              struct error *error)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && *list != '\0') {
        size_t length = strcspn(list, ",");
        struct sensor_request request;
        status = request_parse(list, length, root, &request, error);
        const struct power_sensor *sensor = status == STATUS_OK ? sensor_find(request.name) : NULL;
        bool none = status == STATUS_OK && strcmp(request.name, "none") == 0;
        if (sensor != NULL)
            status = add(sensor, &request, meters, error);
        if (sensor != NULL && status == STATUS_OK)
            meters->meters[meters->count - 1].named = true;
        if (sensor != NULL && !sensor->external && status == STATUS_UNAVAILABLE)
            status = STATUS_OK; /* the run continues without it, with a message */
        if (sensor == NULL && status == STATUS_OK && !none)
            status = unknown(request.name, error);
        list += length + (list[length] == ',');
    }
    return status;
}

enum status sensor_list_find(const char *list, const char *root, struct sensor_list *meters,
                             struct error *why_none)
{
    memset(meters, 0, sizeof *meters);
    memset(why_none, 0, sizeof *why_none);
    const char *usual = root[0] == '\0' ? getenv("TRAUMA_POWER") : NULL;
    if (list == NULL && usual != NULL && usual[0] != '\0')
        list = usual;
    if (list != NULL)
        return find_named(list, root, meters, why_none);
    find_all(root, meters, why_none);
    return STATUS_OK;
}

size_t sensor_list_power_channels(const struct sensor_list *meters)
{
    size_t found = 0;
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            found += sensor_measures_power(&meters->meters[i].channels[j]);
    return found;
}

size_t sensor_list_usable_channels(const struct sensor_list *meters)
{
    size_t found = 0;
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            found += meters->meters[i].channels[j].why_not[0] == '\0';
    return found;
}

void sensor_list_free(struct sensor_list *meters)
{
    for (size_t i = 0; i < meters->count; i++)
        free(meters->meters[i].channels);
    memset(meters, 0, sizeof *meters);
}
