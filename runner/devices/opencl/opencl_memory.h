/* OpenCL device memory with a known device address, which chases and alignment need. OpenCL does not report
 * addresses, so a kernel does. */
#ifndef RUNNER_DEVICES_OPENCL_OPENCL_MEMORY_H
#define RUNNER_DEVICES_OPENCL_OPENCL_MEMORY_H

#include "runner/devices/opencl/opencl_session.h"

struct opencl_data {
    const struct opencl_session *session;
    opencl_memory memory;
    uint64_t address; /* of memory, on the device */
};

/* Allocates memory, fills it from a manifest's "data" and clears the rest. STATUS_UNAVAILABLE when there is
 * not enough, STATUS_FAILED when the data is invalid. */
enum status opencl_data_load(const struct opencl_session *session, const json_t *data,
                             struct opencl_data *loaded, struct error *error);

/* Allocates that many bytes at any address. what: "the program's data". STATUS_UNAVAILABLE when there is not
 * enough. */
enum status opencl_memory_take(const struct opencl_session *session, size_t bytes, const char *what,
                               opencl_memory *memory, struct error *error);

#endif
