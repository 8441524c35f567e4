/* Helpers for machine descriptions of devices of any vendor. */
#ifndef RUNNER_DEVICES_DEVICE_MACHINE_H
#define RUNNER_DEVICES_DEVICE_MACHINE_H

#include "generator/machine/machine.h"

#include <jansson.h>
#include <stdbool.h>

enum { DEVICE_NAME_BYTES = MACHINE_NAME_BYTES };

/* Turns "NVIDIA H200" into "nvidia-h200", a machine's name. */
void device_machine_name(const char *product, char name[DEVICE_NAME_BYTES]);

/* False only if both state their memory (a device its "memory" in bytes) and differ by more than the small
 * part that a driver reserves. */
bool device_machine_memory(const json_t *device, const struct machine *machine);

#endif
