/* One OpenCL device in use: its context and its queue, whose commands run in order and are timed. */
#ifndef RUNNER_DEVICES_OPENCL_OPENCL_SESSION_H
#define RUNNER_DEVICES_OPENCL_OPENCL_SESSION_H

#include "runner/devices/opencl/opencl_device.h"

#include <jansson.h>
#include <stdint.h>

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
