/* Machine descriptions of devices, the same for all vendors. */
#ifndef RUNNER_DEVICES_DEVICE_MACHINE_H
#define RUNNER_DEVICES_DEVICE_MACHINE_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/devices/device_facts.h"

#include <stdbool.h>
#include <stdint.h>

/* Fields of a description. A number of 0 is not stated; a NULL name ends the list. */
struct device_machine_field {
    const char *name;
    uint64_t number;
};

struct device_machine {
    const char *isa, *vendor;
    const char *who; /* reports the values, for errors: "OpenCL" */
    struct device_machine_field l1[5], l2[5], gpu[12];
    const char *policy; /* of both caches */
};

/* Fills *machine (free with machine_free), as the present one, from the description and the device's name,
 * architecture and clock. STATUS_UNAVAILABLE for values that no plan can use. */
enum status device_machine_make(const struct device *device, const struct device_machine *description,
                                struct machine *machine, struct error *error);

/* False if both state their memory and differ by more than a driver reserves. */
bool device_machine_memory(const struct device *device, const struct machine *machine);

#endif
