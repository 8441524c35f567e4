/* The sensor "thermometer": temperatures of the processor, by Linux hwmon: temp*_input files, found by the
 * driver's name because the number of a hwmon folder changes from boot to boot. */
#include "base/file.h"
#include "runner/power/sensor.h"
#include "runner/power/sensors/file_channels.h"

#include <stdio.h>
#include <string.h>

/* Drivers that report the processor's temperature. */
static const char *const drivers[] = {"coretemp", "k10temp", "zenpower", "k8temp"};

static const char suffix[] = "_input";

static bool is_processor(const char *driver)
{
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
        if (strcmp(driver, drivers[i]) == 0)
            return true;
    return false;
}

/* "temp1_input" of the folder; with a label if the driver has one. */
static void describe(const char *folder, const char *driver, const char *input, struct sensor_channel *found)
{
    char file[FILE_PATH_BYTES];
    int stem = (int)(strlen(input) - strlen(suffix));
    *found = (struct sensor_channel){.quantity = SENSOR_TEMPERATURE};
    snprintf(file, sizeof file, "%.*s_label", stem, input);
    if (!file_channel_line(folder, file, found->label, sizeof found->label))
        snprintf(found->label, sizeof found->label, "%.*s", stem, input);
    snprintf(found->name, sizeof found->name, "%.40s:%.63s", driver, found->label);
    file_join(file, folder, input);
    snprintf(found->path, sizeof found->path, "%.511s", file);
}

/* The drivers and labels of two packages have the same names. */
static void make_unique(struct sensor_channel *found, size_t count)
{
    size_t length = strlen(found[count].name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(found[i].name, found[count].name) == 0) {
            snprintf(found[count].name + length, sizeof found[count].name - length, "#%zu", count);
            return;
        }
}

static size_t find_in(const char *folder, struct sensor_channel *found, size_t count, size_t capacity)
{
    char driver[48];
    if (!file_channel_line(folder, "name", driver, sizeof driver) || !is_processor(driver))
        return count;
    char **inputs = file_list(folder, suffix);
    for (char **input = inputs; input != NULL && *input != NULL && count < capacity; input++) {
        double celsius;
        if (strncmp(*input, "temp", 4) != 0)
            continue;
        describe(folder, driver, *input, &found[count]);
        make_unique(found, count);
        count += file_channel_read(found[count].path, SENSOR_TEMPERATURE, &celsius) == 0;
    }
    file_free_names(inputs);
    return count;
}

static enum status find(const struct sensor_request *request, struct sensor_channel *channels,
                        size_t capacity, size_t *count, struct error *error)
{
    char root[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    snprintf(root, sizeof root, "%s/sys/class/hwmon", request->root);
    char **names = file_list(root, "");
    *count = 0;
    for (char **name = names; name != NULL && *name != NULL; name++)
        *count = find_in(file_join(folder, root, *name), channels, *count, capacity);
    file_free_names(names);
    if (*count > 0)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "no hwmon driver reports the processor's temperature");
    error_hint(error, "a virtual machine has none; on a real one try `sudo modprobe coretemp` or k10temp");
    return STATUS_UNAVAILABLE;
}

const struct power_sensor power_thermometer = {.name = "thermometer",
                                               .what = "temperature of the processor (hwmon)",
                                               .type = "temperature",
                                               .period_s = 0.2, /* as in Su et al. 2014 */
                                               .find = find,
                                               .open = file_channels_open,
                                               .read = file_channels_read,
                                               .close = file_channels_close};
