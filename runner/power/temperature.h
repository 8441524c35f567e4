/* Temperatures of the processor, by Linux hwmon: its drivers' temp*_input files, found by the driver's name
 * as the number of a hwmon folder changes from boot to boot. */
#ifndef RUNNER_POWER_TEMPERATURE_H
#define RUNNER_POWER_TEMPERATURE_H

#include <stdbool.h>
#include <stddef.h>

struct thermometer {
    char name[96]; /* "k10temp:Tctl", unique */
    char path[512];
};

/* Fills up to capacity of them, found under sysfs_root ("" for the real one), and returns how many. */
size_t temperature_find(const char *sysfs_root, struct thermometer *found, size_t capacity);

/* Degrees Celsius; false when it tells none. */
bool temperature_read(const struct thermometer *thermometer, double *celsius);

#endif
