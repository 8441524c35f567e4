/* Sensors of power, energy and temperature (DESIGN.md section 8): each one file and one row in the table of
 * sensor.c. A sensor finds what it can read on this machine as channels, and reads them all at once. */
#ifndef RUNNER_POWER_SENSOR_H
#define RUNNER_POWER_SENSOR_H

#include "base/error.h"
#include "runner/power/request.h"

#include <stdbool.h>
#include <stddef.h>

enum { SENSOR_NAME_BYTES = 128, SENSOR_LABEL_BYTES = 64, SENSOR_PATH_BYTES = 512 };

/* What a channel's values are: a row of quantities in sensor.c each. */
enum sensor_quantity {
    SENSOR_ENERGY,      /* joules, counting up */
    SENSOR_POWER,       /* watts */
    SENSOR_TEMPERATURE, /* degrees Celsius */
    SENSOR_CLOCK,       /* hertz */
    SENSOR_QUANTITIES
};

struct sensor_quantity_name {
    const char *name; /* "energy" */
    const char *unit; /* "J" */
};
extern const struct sensor_quantity_name sensor_quantities[SENSOR_QUANTITIES];

enum { SENSOR_PCI_BYTES = 24 };

/* One thing that can be read: a RAPL domain, say. */
struct sensor_channel {
    char name[SENSOR_NAME_BYTES];   /* unique: "powercap:intel-rapl:0" */
    char label[SENSOR_LABEL_BYTES]; /* what it measures: "package-0" */
    char path[SENSOR_PATH_BYTES];   /* where it is read; "" where that is no file */
    char pci[SENSOR_PCI_BYTES];     /* of the GPU that it is of: "0000:0f:00.0"; "": of none */
    enum sensor_quantity quantity;
    bool whole;    /* counts in the sensor's total: no other whole channel of it measures any of this */
    double wrap_j; /* an energy counter returns to 0 here; 0: it does not wrap */
    unsigned long number; /* the sensor's own */
};

struct power_sensor {
    const char *name; /* "powercap" */
    const char *what; /* "energy of CPU packages and their parts (RAPL)" */
    const char *type; /* "power" or "temperature" */

    /* An instrument that is not found by looking: --power NAME=ADDRESS says where it is. */
    bool external;
    const char *example; /* such a word of --power; NULL for what is found */

    /* What the request may set beside period, NULL-terminated; NULL: nothing. */
    const char *const *settings;

    /* Seconds from one reading to the next unless the request says otherwise; 0: it sends when it pleases. */
    double period_s;

    /* Of sensors that measure at once, the one that is named first below tells the headline: external
     * meters see all there is. Higher goes first; 0: it tells none. */
    int rank;

    /* Sees a graphics card or the like, and nothing else: the headline of what runs there alone. How hot a
     * processor is it does not know. */
    bool accelerator;

    /* Fills up to capacity channels and sets *count. STATUS_UNAVAILABLE with the reason and the command that
     * mends it when there is none to read; STATUS_USAGE when the request is wrong. */
    enum status (*find)(const struct sensor_request *request, struct sensor_channel *channels,
                        size_t capacity, size_t *count, struct error *error);

    /* Begins to read the channels that find gave; they stay until close. *handle is the sensor's own. */
    enum status (*open)(const struct sensor_request *request, const struct sensor_channel *channels,
                        size_t count, void **handle, struct error *error);

    /* Reads every channel: values[count], NAN where one told nothing this time; *t_s (clock_now_s) is when.
     * One that sends by itself waits for its next word, a tenth of a second at most, and gives STATUS_OK with
     * all NAN when none came. Anything else than STATUS_OK: the sensor is gone, with the reason. */
    enum status (*read)(void *handle, double *t_s, double *values, struct error *error);

    void (*close)(void *handle);
};

extern const struct power_sensor power_powercap;
extern const struct power_sensor power_perf;
extern const struct power_sensor power_hwmon;
extern const struct power_sensor power_hwmon_gpu;
extern const struct power_sensor power_nvml;
extern const struct power_sensor power_thermometer;
extern const struct power_sensor power_34401a;
extern const struct power_sensor power_line;

/* The table; NULL-terminated. */
extern const struct power_sensor *const power_sensors[];

const struct power_sensor *sensor_find(const char *name);

/* Joules from one reading of a counter to a later one, at most one wrap between them. */
double sensor_energy_difference(const struct sensor_channel *channel, double before, double after);

#endif
