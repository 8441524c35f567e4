/* The devices of all OpenCL platforms, and what each says of itself. */
#ifndef RUNNER_OPENCL_OPENCL_DEVICE_H
#define RUNNER_OPENCL_OPENCL_DEVICE_H

#include "runner/opencl/opencl_library.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { OPENCL_ARCH_BYTES = 16, OPENCL_MOST_DEVICES = 64 };

struct opencl_place {
    opencl_platform platform;
    opencl_device device;
    bool amd; /* a GPU of AMD's on their own platform, whose binaries are GCN code */
};

/* AMD's GPUs come first, then others, then what is no GPU; else as the loader has them. Fills places and
 * *count. STATUS_UNAVAILABLE when there is none. */
enum status opencl_places(const struct opencl_library *library,
                          struct opencl_place places[OPENCL_MOST_DEVICES], size_t *count,
                          struct error *error);

/* {"ordinal", "name", "arch": "gfx906" ("" where it is not known), "type": "GPU"|"CPU"|"other", "amd": bool,
 * "code_objects": whether it takes ROCm's, "platform", "version", "driver", "pci": "0000:0f:00.0",
 * "compute_units", "threads_per_block", "shared", "memory", "buffer" (the largest) in bytes, "clock_hz",
 * "wave"}; what a device does not tell is left out. New reference. */
json_t *opencl_device_describe(const struct opencl_library *library, const struct opencl_place *place,
                               size_t ordinal);

/* The descriptions of all; STATUS_UNAVAILABLE when there is none. NULL with the reason. New reference. */
json_t *opencl_devices(struct error *why_not);

#endif
