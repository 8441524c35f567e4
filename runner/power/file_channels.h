/* Channels that are each a file with one number, as sysfs has them: microjoules, microwatts, thousandths of a
 * degree, hertz (Documentation/hwmon/sysfs-interface, Documentation/power/powercap). A file is opened anew
 * for each reading, so that what a driver takes away is missed and not read for ever. */
#ifndef RUNNER_POWER_FILE_CHANNELS_H
#define RUNNER_POWER_FILE_CHANNELS_H

#include "runner/power/sensor.h"

/* Reads the file as the quantity's unit. Returns 0 or errno; EINVAL when it holds no number. */
int file_channel_read(const char *path, enum sensor_quantity quantity, double *value);

/* The file's first line without its end, cut to what fits. False when there is none. */
bool file_channel_line(const char *folder, const char *name, char *line, size_t capacity);

/* What struct power_sensor wants, for a sensor whose channels have paths. A file that cannot be read gives
 * NAN, all of them that the sensor is gone. */
enum status file_channels_open(const struct sensor_request *request, const struct sensor_channel *channels,
                               size_t count, void **handle, struct error *error);
enum status file_channels_read(void *handle, double *t_s, double *values, struct error *error);
void file_channels_close(void *handle);

#endif
