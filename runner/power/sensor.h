/* Power sensors (DESIGN.md section 8): each one file and one row in the table of sensor.c. */
#ifndef RUNNER_POWER_SENSOR_H
#define RUNNER_POWER_SENSOR_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* One thing that can be read: a RAPL domain, say. */
struct sensor_channel {
    char name[128]; /* unique: "powercap:intel-rapl:0" */
    char label[64]; /* what it measures: "package-0" */
    char path[512]; /* where it is read */
    double wrap_j;  /* an energy counter returns to 0 here; 0: it does not wrap */
};

struct power_sensor {
    const char *name; /* "powercap" */
    const char *what; /* "energy of CPU packages and their parts (RAPL)" */

    /* Fills up to capacity channels found under sysfs_root ("" for the real one) and sets *count.
     * STATUS_UNAVAILABLE with the reason and the command that mends it when there is none to read. */
    enum status (*find)(const char *sysfs_root, struct sensor_channel *channels, size_t capacity,
                        size_t *count, struct error *error);

    /* The channel's energy counter in joules. */
    enum status (*read_energy)(const struct sensor_channel *channel, double *joules, struct error *error);
};

extern const struct power_sensor power_powercap;

/* The table; NULL-terminated. */
extern const struct power_sensor *const power_sensors[];

/* Joules from one reading of a counter to a later one, at most one wrap between them. */
double sensor_energy_difference(const struct sensor_channel *channel, double before, double after);

#endif
