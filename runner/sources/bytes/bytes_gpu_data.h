/* The part of the source "bytes" that counts the bits of a GPU's data: what the loads of one warp move over
 * the bus, transfer by transfer in access order, from the manifest's image. */
#ifndef RUNNER_SOURCES_BYTES_BYTES_GPU_DATA_H
#define RUNNER_SOURCES_BYTES_BYTES_GPU_DATA_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/results/observation.h"

/* Adds data.toggle_rate and data.ones_rate of all loads that have data of their own; nothing if none has.
 * STATUS_FAILED when the manifest's data or streams are damaged. */
enum status bytes_observe_gpu_data(const struct test_program *test_program, struct observations *list,
                                   struct error *error);

#endif
