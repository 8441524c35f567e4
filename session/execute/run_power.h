/* The sensors of a run: found and opened, described in its context, with traces stored beside
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

/* sensor_list_find, and what is known of the sensors (session/sensor_findings.h). Close with run_power_close
 * in every case. */
enum status run_power_find(const char *sensors, const char *root, struct run_power *power,
                           struct error *why_none);

/* Starts reading the sensors and tries whether they are usable (sensor_trial.h): a core works for that, a
 * second at most. If none delivers power, *why_none has the reason; STATUS_UNAVAILABLE if the user named that
 * one. */
enum status run_power_open(struct run_power *power, struct error *why_none);

/* Names the channels that are not usable, with the reasons, and those that see a part of the time alone; NULL
 * if there is none. Free with free. */
char *run_power_unusable(const struct run_power *power);

/* The usable channels, in the arena; texts are the meters'. The update and the resolution come from a short
 * observation of the sensors, NAN if it was too short, or from `trauma sensors --measure`, as the window. */
struct context_sensor *run_power_describe(struct recorder *recorder, struct arena *arena, size_t *count);

/* Writes the point's recorded samples to RESULTS.traces/BENCHMARK/POINT.csv, which becomes the point's trace.
 * Writes nothing if nothing was read. */
enum status run_power_keep_trace(const struct run_power *power, const char *results,
                                 struct result_point *point, struct error *error);

/* Approximate trace bytes per second of samples. */
double run_power_trace_bytes(const struct run_power *power);

void run_power_close(struct run_power *power);

#endif
