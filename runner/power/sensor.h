/* Sensors of power, energy and temperature (DESIGN.md section 8): each is one file and one row in the table
 * of sensor.c. A sensor finds its readable channels on this machine and reads them all at once. */
#ifndef RUNNER_POWER_SENSOR_H
#define RUNNER_POWER_SENSOR_H

#include "base/error.h"
#include "runner/power/sensor_request.h"

#include <stdbool.h>
#include <stddef.h>

enum { SENSOR_NAME_BYTES = 128, SENSOR_LABEL_BYTES = 64, SENSOR_PATH_BYTES = 512, SENSOR_REASON_BYTES = 320 };

/* The quantity of a channel's values: one row each in sensor_quantities in sensor.c. */
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

/* Properties of a channel that an earlier trial found (trauma sensors --measure); 0: unknown. */
struct sensor_known {
    double update_s, window_s, lag_s;
    double sampled;   /* share of the time that its values cover */
    bool exponential; /* window_s is a time constant */
};

/* One readable value, for instance a RAPL domain. */
struct sensor_channel {
    char name[SENSOR_NAME_BYTES];   /* unique: "powercap:intel-rapl:0" */
    char label[SENSOR_LABEL_BYTES]; /* what it measures: "package-0" */
    char path[SENSOR_PATH_BYTES];   /* where it is read; "" if not a file */
    char pci[SENSOR_PCI_BYTES];     /* of its GPU: "0000:0f:00.0"; "": none */
    enum sensor_quantity quantity;
    bool whole;     /* counts towards the sensor's total: no other whole channel of it overlaps this one */
    bool spare;     /* becomes whole where no whole channel of the sensor, or of this GPU, is usable */
    bool may_stand; /* it may stay the same for a second while some core works */
    double wrap_j;  /* an energy counter returns to 0 here; 0: it does not wrap */
    unsigned long number; /* for the sensor's own use */
    struct sensor_known known;
    char why_not[SENSOR_REASON_BYTES]; /* why it is not usable, by the trial (sensor_trial.h); "": it is */
};

struct power_sensor {
    const char *name; /* "powercap" */
    const char *what; /* "energy of CPU packages and their parts (RAPL)" */
    const char *type; /* "power" or "temperature" */

    /* An instrument that cannot be detected: --power NAME=ADDRESS gives its place. */
    bool external;
    const char *example; /* an example word of --power; NULL for a detected sensor */

    /* The settings that a request may contain besides period, NULL-terminated; NULL: none. */
    const char *const *settings;

    /* Default seconds between readings; 0: it sends at its own pace. */
    double period_s;

    /* Among sensors that measure together, the one with the highest rank supplies the headline value.
     * External meters rank highest, because they measure everything; 0: never. */
    int rank;

    /* Measures only an accelerator, such as a graphics card: it supplies the headline only of programs that
     * run there, and does not report a processor's temperature. */
    bool accelerator;

    /* Fills up to capacity channels and sets *count. STATUS_UNAVAILABLE, with the reason and the command that
     * fixes it, when there is none to read; STATUS_USAGE when the request is wrong. */
    enum status (*find)(const struct sensor_request *request, struct sensor_channel *channels,
                        size_t capacity, size_t *count, struct error *error);

    /* Starts reading the channels from find; they stay valid until close. *handle belongs to the sensor. */
    enum status (*open)(const struct sensor_request *request, const struct sensor_channel *channels,
                        size_t count, void **handle, struct error *error);

    /* Reads every channel: values[count], NAN for one without a value this time; *t_s: their time
     * (clock_now_s). A sensor that sends at its own pace waits for its next value, at most a tenth of a
     * second, and returns STATUS_OK with all NAN when none came. Any other status, with the reason: the
     * sensor is gone. */
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

/* Whether the channel is usable and delivers power or energy. */
bool sensor_measures_power(const struct sensor_channel *channel);

/* Seconds from a change of power until the values are off by at most 0.5 % of it; 0: unknown. */
double sensor_settled_s(const struct sensor_known *known);

/* RAPL's whole platform ("psys" in the label) includes the packages: makes it spare if there are any. */
void sensor_leave_out_platform(struct sensor_channel *channels, size_t count);

/* Joules between two readings of a counter, with at most one wrap between them. */
double sensor_energy_difference(const struct sensor_channel *channel, double before, double after);

#endif
