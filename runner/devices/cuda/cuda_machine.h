/* Describes a GPU as a machine, from its driver's data and the facts known of its family. */
#ifndef RUNNER_DEVICES_CUDA_CUDA_MACHINE_H
#define RUNNER_DEVICES_CUDA_CUDA_MACHINE_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <jansson.h>

/* Fills *machine (free with machine_free), present, from a device's description (cuda_device.h). The driver
 * reports neither the size of L1, which a multiprocessor shares with shared memory, nor the number of L2
 * partitions: these come from the family. STATUS_UNAVAILABLE for an unknown family. */
enum status cuda_machine(const json_t *device, struct machine *machine, struct error *error);

/* True when the device matches the machine: architecture, multiprocessors and, if both state it, about as
 * much memory. */
bool cuda_machine_is(const json_t *device, const struct machine *machine);

#endif
