/* What a plan counts on at a launch and a driver may choose otherwise: the split between L1 and shared memory
 * (generator/plan/gpu/gpu_split.h), blocks of a cluster on different multiprocessors, and a whole sector, no
 * more, fetched from memory. Requested, and recorded as far as the driver accepts it. */
#ifndef RUNNER_DEVICES_CUDA_CUDA_CONDITIONS_H
#define RUNNER_DEVICES_CUDA_CUDA_CONDITIONS_H

#include "generator/suite/manifest_read.h"
#include "runner/devices/cuda/cuda_library.h"

#include <jansson.h>

/* Adds to facts["launch"]: "shared_split", bytes of shared memory per multiprocessor; "cluster_policy":
 * "spread"; "l2_fetch_bytes", as the driver reports it after the request. STATUS_UNAVAILABLE, with what would
 * be wrong, where the driver refuses one that the program's rates rest on. */
enum status cuda_conditions_set(const struct cuda_library *library, cuda_function function,
                                const struct manifest *manifest, json_t *facts, struct error *error);

#endif
