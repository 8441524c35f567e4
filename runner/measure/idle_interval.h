/* Intervals in which no test program runs: to measure the idle machine's power, to cool down, or to wait. */
#ifndef RUNNER_MEASURE_IDLE_INTERVAL_H
#define RUNNER_MEASURE_IDLE_INTERVAL_H

#include "runner/launch/test_program.h"
#include "runner/power/energy.h"
#include "runner/power/recorder.h"
#include "runner/results/result_point.h"

#include <stdbool.h>

/* Waits without observing anything. */
void idle_rest(double seconds);

/* Waits for those seconds while the programs that will run hold their memory and do nothing (the idle state
 * of Delestrac et al. 2024, section IV-B). *held is false if they could not be started. Marks the phase when
 * the wait starts. */
struct window idle_with_memory(const struct test_program *test_program, double seconds,
                               struct recorder *recorder, const char *phase, bool *held);

/* Waits, at most wait_s, until every thermometer of the GPU at the PCI address `device`, or of the processor
 * if that is NULL, is at or below the temperature. False if one is still above it, or none reports a value.
 * *celsius: the highest temperature; NAN if no thermometer reports one. */
bool idle_until_below(struct recorder *recorder, const char *device, double temperature, double wait_s,
                      double *celsius);

/* A sample every 0.2 s as in Su et al. 2014, in the arena. Not given for an interval below 2 s, or without
 * sensors. */
struct result_idle idle_record(const struct recorder *recorder, struct window window, struct arena *arena);

#endif
