/* GPUs and other devices beside the processor that programs run on. */
#ifndef SESSION_DEVICES_H
#define SESSION_DEVICES_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/devices/launcher.h"

/* The driver's device with that number (from 0). STATUS_USAGE when there are fewer. */
enum status devices_find(unsigned device_number, const struct device_driver *driver, struct device *device,
                         struct error *error);

/* Describes the GPU with that number that runs programs of the target. Free the machine with machine_free
 * even after an error. STATUS_UNAVAILABLE, with the remedy, when there is none; STATUS_USAGE for the target
 * of a processor. */
enum status devices_detect(unsigned device_number, const char *target, struct machine *machine,
                           struct error *error);

#endif
