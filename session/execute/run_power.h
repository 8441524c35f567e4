/* The sensors of a run: finds and opens them, describes them in its context, and stores their traces beside
 * its results. */
#ifndef SESSION_EXECUTE_RUN_POWER_H
#define SESSION_EXECUTE_RUN_POWER_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/power/recorder.h"
#include "runner/power/sensor_list.h"
#include "runner/results/result_point.h"
#include "runner/results/results_context.h"

/* All zeros is none. */
struct run_power {
    struct sensor_list meters;
    struct recorder *recorder;
};

/* Finds the sensors (sensor_list_find) and recalls their stored findings (session/sensor_findings.h). Close
 * with run_power_close in every case. */
enum status run_power_find(const char *sensors, const char *root, struct run_power *power,
                           struct error *why_none);

/* Starts reading the sensors and tests, with a load on a core for at most a second, whether they are usable
 * (sensor_trial.h). If none delivers power, *why_none has the reason; STATUS_UNAVAILABLE if the user named
 * the sensor. */
enum status run_power_open(struct run_power *power, struct error *why_none);

/* Lists the channels that are not usable, with the reasons, and those that sample only a part of the time;
 * NULL if there are none. Free with free. */
char *run_power_unusable(const struct run_power *power);

/* The usable channels, in the arena; texts are the meters'. Update and resolution come from a short
 * observation (NAN: it was too short); update and window from `trauma sensors --measure`, if it was used. */
struct context_sensor *run_power_describe(struct recorder *recorder, struct arena *arena, size_t *count);

/* Writes the point's samples, if any, to RESULTS.traces/BENCHMARK/POINT.csv, and names that file in the
 * point. */
enum status run_power_keep_trace(const struct run_power *power, const char *results,
                                 struct result_point *point, struct error *error);

/* Approximate trace bytes per second of samples. */
double run_power_trace_bytes(const struct run_power *power);

void run_power_close(struct run_power *power);

#endif
