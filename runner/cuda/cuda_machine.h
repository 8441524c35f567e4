/* A GPU's description as a machine file, from what its driver says and what is known of its family. */
#ifndef RUNNER_CUDA_CUDA_MACHINE_H
#define RUNNER_CUDA_CUDA_MACHINE_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <jansson.h>

/* Fills *machine (to be freed with machine_free), present, from a device's description (cuda_device.h). The
 * driver tells neither the size of L1, which a multiprocessor shares with shared memory, nor in how many
 * parts L2 is: these are the family's. STATUS_UNAVAILABLE for a family that is not known. */
enum status cuda_machine(const json_t *device, struct machine *machine, struct error *error);

/* True when the device is such a machine: architecture, multiprocessors and, where both tell, about as much
 * memory. */
bool cuda_machine_is(const json_t *device, const struct machine *machine);

#endif
