/* Channels that are files with one number each, as in sysfs: microjoules, microwatts, millidegrees, hertz
 * (Documentation/hwmon/sysfs-interface, Documentation/power/powercap). Each reading reopens the file, so that
 * a channel removed by its driver is noticed. */
#ifndef RUNNER_POWER_SENSORS_FILE_CHANNELS_H
#define RUNNER_POWER_SENSORS_FILE_CHANNELS_H

#include "runner/power/sensor.h"

/* Reads the file in the quantity's unit. Returns 0 or errno; EINVAL when it does not contain a number. */
int file_channel_read(const char *path, enum sensor_quantity quantity, double *value);

/* The file's first line without its newline, truncated to fit. False when there is none. */
bool file_channel_line(const char *folder, const char *name, char *line, size_t capacity);

/* The functions of struct power_sensor for a sensor whose channels have paths. The value of an unreadable
 * file is NAN; if all are unreadable, the sensor is gone. */
enum status file_channels_open(const struct sensor_request *request, const struct sensor_channel *channels,
                               size_t count, void **handle, struct error *error);
enum status file_channels_read(void *handle, double *t_s, double *values, struct error *error);
void file_channels_close(void *handle);

#endif
