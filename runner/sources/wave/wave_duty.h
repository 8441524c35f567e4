/* throttle.duty of a GCN program, by what its waves do: how long their accesses take at the described chip's
 * peak, and how long their idle instructions do. */
#ifndef RUNNER_SOURCES_WAVE_WAVE_DUTY_H
#define RUNNER_SOURCES_WAVE_WAVE_DUTY_H

#include "runner/launch/test_program.h"
#include "runner/results/observation.h"
#include "sim/gcn/chip.h"
#include "sim/gcn/wave_result.h"

/* Adds the duty if the manifest promises one. Adds nothing where the machine file lacks a bandwidth that the
 * accesses need, or no access was made. */
void wave_duty_observe(const struct test_program *test_program, const struct wave_chip *chip,
                       const struct wave_result *result, struct observations *list);

#endif
