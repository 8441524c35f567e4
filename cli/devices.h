/* GPUs and other devices beside the processor that programs run on. Each command detects them once. */
#ifndef CLI_DEVICES_H
#define CLI_DEVICES_H

#include "cli/options.h"
#include "cli/work.h"

#include <jansson.h>
#include <stdbool.h>

/* Looks for the device of --device if a machine of the work is a GPU, and marks the machines that describe it
 * as present. STATUS_UNAVAILABLE, with the remedy, when there is none and nothing else to run either. */
enum status devices_find(const struct options *options, struct work *work, struct error *error);

/* True when all of the work runs on devices, so that no processor is measured. */
bool devices_alone(const struct work *work);

/* The description of the GPU of --device that runs programs of the target; free it with machine_free even
 * after an error. STATUS_UNAVAILABLE, with the remedy, when there is none. */
enum status devices_detect(const struct options *options, const char *target, struct machine *machine,
                           struct error *error);

/* Adds a row for each driver to the entries of `trauma sensors`: its devices, or the reason for having
 * none. */
void devices_describe(json_t *entries);

#endif
