/* Compiles a program's PTX with the driver; errors refer to lines of program.ptx. */
#ifndef RUNNER_DEVICES_CUDA_CUDA_MODULE_H
#define RUNNER_DEVICES_CUDA_CUDA_MODULE_H

#include "runner/devices/cuda/cuda_library.h"
#include "runner/devices/device_facts.h"

/* Compiles size bytes of PTX for the current context and finds the entry. Adds to *module (NULL: not wanted)
 * what the driver reports, with the binary that it made; local_bytes above 0 means that the compiler spilled
 * registers. STATUS_FAILED with the faulty line. */
enum status cuda_module_load(const struct cuda_library *library, const void *ptx, size_t size,
                             const char *entry, cuda_function *function, struct device_module *module,
                             struct error *error);

#endif
