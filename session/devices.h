/* GPUs and other devices beside the processor that programs run on. */
#ifndef SESSION_DEVICES_H
#define SESSION_DEVICES_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/devices/launcher.h"

#include <jansson.h>

/* The driver's device of that number, from 0. NULL with the reason. New reference. */
json_t *devices_find(unsigned device_number, const struct device_driver *driver, struct error *error);

/* The description of the GPU of that number that runs programs of the target; free it with machine_free even
 * after an error. STATUS_UNAVAILABLE, with the remedy, when there is none. */
enum status devices_detect(unsigned device_number, const char *target, struct machine *machine,
                           struct error *error);

/* Adds a row for each driver to the entries of `trauma sensors`: its devices, or the reason for having
 * none. */
void devices_describe(json_t *entries);

#endif
