/* A GPU's description as a machine file, from what OpenCL says of it and what is known of its family. */
#ifndef RUNNER_OPENCL_OPENCL_MACHINE_H
#define RUNNER_OPENCL_OPENCL_MACHINE_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <jansson.h>

/* Fills *machine (to be freed with machine_free), present, from a device's description (opencl_device.h).
 * OpenCL tells neither shader engines nor caches: these are the family's. STATUS_UNAVAILABLE for what is no
 * GPU of AMD's, and for a family that is not known. */
enum status opencl_machine(const json_t *device, struct machine *machine, struct error *error);

/* True when the device is such a machine: architecture, compute units and, where both tell, about as much
 * memory. */
bool opencl_machine_is(const json_t *device, const struct machine *machine);

#endif
