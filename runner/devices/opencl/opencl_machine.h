/* Describes a GPU as a machine, from OpenCL's data and the facts known of its family. */
#ifndef RUNNER_DEVICES_OPENCL_OPENCL_MACHINE_H
#define RUNNER_DEVICES_OPENCL_OPENCL_MACHINE_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <jansson.h>

/* Fills *machine (free with machine_free), present, from a device's description (opencl_device.h). OpenCL
 * reports neither shader engines nor caches: these come from the family. STATUS_UNAVAILABLE for anything but
 * an AMD GPU, and for an unknown family. */
enum status opencl_machine(const json_t *device, struct machine *machine, struct error *error);

/* True when the device matches the machine: architecture, compute units and, if both state it, about as much
 * memory. */
bool opencl_machine_is(const json_t *device, const struct machine *machine);

#endif
