/* The properties that an NVIDIA GPU reports. */
#ifndef RUNNER_DEVICES_CUDA_CUDA_DEVICE_H
#define RUNNER_DEVICES_CUDA_CUDA_DEVICE_H

#include "runner/devices/cuda/cuda_library.h"

#include <jansson.h>

/* {"ordinal", "name", "arch": "sm_90", "pci": "0000:0f:00.0", "driver": "13.0", "sm", "threads_per_block",
 * "threads_per_sm", "blocks_per_sm", "shared_per_block" (when a kernel asks for it; else "shared_usual"),
 * "shared_per_sm", "l2", "memory" (bytes), "clock_hz", "memory_clock_hz", "bus_bits", "warp"}; omits what a
 * device does not report. NULL with the reason. New reference. */
json_t *cuda_device_describe(const struct cuda_library *library, int ordinal, struct error *error);

/* The descriptions of all GPUs; STATUS_UNAVAILABLE when there is none. NULL with the reason. New
 * reference. */
json_t *cuda_devices(struct error *why_not);

#endif
