/* The devices of all OpenCL platforms, and one of them in use: its context and its queue, whose commands run
 * in order and are timed. */
#ifndef RUNNER_DEVICES_OPENCL_OPENCL_SESSION_H
#define RUNNER_DEVICES_OPENCL_OPENCL_SESSION_H

#include "runner/devices/opencl/opencl_library.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The descriptions of all devices: {"ordinal", "name", "arch": "gfx906" ("" if unknown), "type":
 * "GPU"|"CPU"|"other", "amd": bool, "code_objects": whether it takes ROCm's, "platform", "version", "driver",
 * "pci": "0000:0f:00.0", "compute_units", "threads_per_block", "shared", "memory", "buffer" (the largest) in
 * bytes, "clock_hz", "wave"}; omits what a device does not report. STATUS_UNAVAILABLE when there is none.
 * NULL with the reason. New reference. */
json_t *opencl_devices(struct error *why_not);

struct opencl_place {
    opencl_platform platform;
    opencl_device device;
    bool amd; /* an AMD GPU on AMD's own platform, whose binaries are GCN code */
};

struct opencl_session {
    struct opencl_library library;
    struct opencl_place place;
    opencl_context context;
    opencl_queue queue;
};

/* Opens that device of opencl_devices' list; *description is its description, a new reference.
 * STATUS_UNAVAILABLE when there is none. The end of the process releases its resources. */
enum status opencl_session_open(struct opencl_session *session, unsigned ordinal, json_t **description,
                                struct error *error);

/* Runs that many threads of the kernel, whose arguments are set, in blocks. *seconds: its duration by the
 * device's events. */
enum status opencl_session_run(const struct opencl_session *session, opencl_kernel kernel, size_t threads,
                               size_t block, double *seconds, struct error *error);

#endif
