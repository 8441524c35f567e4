/* The part of the source "duty" for a GPU's program: its blocks' record times the throttled loop and, in turn
 * with it, the same loop without idle instructions. */
#ifndef RUNNER_SOURCES_TIMING_DUTY_DEVICE_H
#define RUNNER_SOURCES_TIMING_DUTY_DEVICE_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/launch/test_program.h"

/* The ratio of their rates. STATUS_UNAVAILABLE when the device is not here, or no such loop can be made. */
enum status duty_device_measure(const struct test_program *test_program, struct interval *duty,
                                struct error *error);

#endif
