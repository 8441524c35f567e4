/* What descriptions of devices as machine files have in common, whoever's they are. */
#ifndef RUNNER_LAUNCH_DEVICE_MACHINE_H
#define RUNNER_LAUNCH_DEVICE_MACHINE_H

#include "generator/machine/machine.h"

#include <jansson.h>
#include <stdbool.h>

enum { DEVICE_NAME_BYTES = 64 };

/* "NVIDIA H200" becomes "nvidia-h200", a machine's name. */
void device_machine_name(const char *product, char name[DEVICE_NAME_BYTES]);

/* True unless both tell their memory (a device its "memory" in bytes), and by more than the little that a
 * driver keeps for itself they differ. */
bool device_machine_memory(const json_t *device, const struct machine *machine);

#endif
