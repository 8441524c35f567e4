/* Measuring one program: repetitions of a chosen length, each kept raw, with energy where a sensor reads it.
 */
#ifndef RUNNER_MEASURE_H
#define RUNNER_MEASURE_H

#include "base/error.h"
#include "runner/power/sensor.h"
#include "runner/power/temperature.h"
#include "runner/subject.h"

#include <jansson.h>

enum { MEASURE_CHANNELS = 16, MEASURE_THERMOMETERS = 32 };

/* The sensors that a run reads. */
struct meters {
    const struct power_sensor *sensors[MEASURE_CHANNELS]; /* of each channel */
    struct sensor_channel channels[MEASURE_CHANNELS];
    size_t count;
    struct thermometer thermometers[MEASURE_THERMOMETERS];
    size_t thermometer_count;
};

/* A program that runs beside the subject, a kernel of another core. */
struct companion {
    struct subject subject;
    double pass_s; /* of it alone; measure_point sets it */
};

struct measure_options {
    double time_s; /* of one repetition's loop */
    unsigned reps;
    double warmup_s;     /* of running the loop before the first repetition */
    double idle_s;       /* of nothing before the warm-up, to read the static power */
    double idle_after_s; /* of nothing after the last repetition: then the static power is the mean of both */
    const struct meters *meters;
    struct companion *company; /* all of them run while the subject does, for about as long */
    size_t company_count;
};

/* Finds the channels of the sensors named in list (separated by commas; NULL: all). *why_none says why there
 * is no channel when there is none. STATUS_USAGE for a name that is no sensor. */
enum status meters_find(const char *list, const char *sysfs_root, struct meters *meters,
                        struct error *why_none);

/* Every channel's counter in joules; NAN where the sensor vanished. */
void meters_read(const struct meters *meters, double joules[MEASURE_CHANNELS]);

/* What passed from one reading to the next. */
void meters_subtract(const struct meters *meters, const double before[MEASURE_CHANNELS],
                     const double after[MEASURE_CHANNELS], double joules[MEASURE_CHANNELS]);

/* Runs the repetitions and sets point["reps"], ["time"] and, with meters, ["start"], a run of no passes as
 * raw as the repetitions, and ["power"], that of the loop alone (runner/power/energy.h): {} when a sensor
 * vanished or the loop was too short to be told from the start; what ran beside is each repetition's
 * "company"; long idle intervals are recorded as
 * ["idle_before"] and ["idle_after"] (runner/idle.h). Where the subject has a place, ["threads"]
 * and
 * ["together"] too (runner/copies.h); with no copy nothing runs for the time of each repetition, and there is
 * no ["time"]. STATUS_FAILED when the program fails, STATUS_UNAVAILABLE when the place is not here; then
 * point is unchanged. */
enum status measure_point(const struct subject *subject, const struct measure_options *options, json_t *point,
                          struct error *error);

#endif
