/* Intervals in which no program of ours runs: the machine's power and cooling, and waiting. */
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
 * of Delestrac et al. 2024, section IV-B), or without them if they cannot. *held tells which. Marks the phase
 * when the wait starts. */
struct window idle_with_memory(const struct test_program *test_program, double seconds,
                               struct recorder *recorder, const char *phase, bool *held);

/* Waits, at most wait_s, until no thermometer of the processor, or of the GPU at that PCI address (NULL:
 * none), is above the temperature. False if it is still too hot, with the highest temperature in *celsius
 * (NAN: no thermometer reported). */
bool idle_until_below(struct recorder *recorder, const char *device, double temperature, double wait_s,
                      double *celsius);

/* A sample every 0.2 s as in Su et al. 2014, in the arena. Not given for an interval below 2 s, or when
 * nothing is read. */
struct result_idle idle_record(const struct recorder *recorder, struct window window, struct arena *arena);

#endif
