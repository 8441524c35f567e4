/* GPUs and what else programs run on beside the processor: which are here, asked once a command. */
#ifndef CLI_DEVICES_H
#define CLI_DEVICES_H

#include "cli/options.h"
#include "cli/work.h"

#include <jansson.h>
#include <stdbool.h>

/* Looks for the device of --device where a machine of the work is a GPU, and marks the machines that it is as
 * present. STATUS_UNAVAILABLE, with what mends it, when there is none and nothing else to be run either. */
enum status devices_find(const struct options *options, struct work *work, struct error *error);

/* True when all of the work runs on devices: no processor is measured on. */
bool devices_alone(const struct work *work);

/* The description of the GPU of --device that runs programs of the target; free it with machine_free also
 * after an error. STATUS_UNAVAILABLE, with what mends it, when there is none. */
enum status devices_detect(const struct options *options, const char *target, struct machine *machine,
                           struct error *error);

/* Adds a row for each driver to the entries of `trauma sensors`: its devices, or why there are none. */
void devices_describe(json_t *entries);

#endif
