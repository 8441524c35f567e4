/* The part of the source "timing" for a GPU's program: the share of its L2 accesses that go to the far side,
 * from the time of its loads, between the same program on near lines alone and on far lines alone, measured
 * in turn with it. */
#ifndef RUNNER_SOURCES_TIMING_TIMING_DEVICE_H
#define RUNNER_SOURCES_TIMING_TIMING_DEVICE_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

#include <stdbool.h>

/* True for a device's program that is placed by side and bound by the latency of its loads: one wave per
 * block that chases on one side of L2. */
bool timing_device_concerns(const struct test_program *test_program);

/* Adds "l2.far_share". STATUS_UNAVAILABLE when the device is not here, or near and far take equally long. */
enum status timing_device_observe(const struct test_program *test_program, struct observations *list,
                                  struct error *error);

#endif
