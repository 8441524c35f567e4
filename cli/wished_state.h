/* A point's state = {...} around what is done with it, as --allow-state and --sysfs-root say. */
#ifndef CLI_WISHED_STATE_H
#define CLI_WISHED_STATE_H

#include "cli/options.h"
#include "cli/work.h"
#include "runner/state/state.h"

/* Where sensors and the state are: "" for the machine itself. */
const char *wished_root(const struct options *options);

/* Sets or only observes what the manifest wishes, warns of each wish that is unmet, and gives back the record
 * of state_begin. STATUS_FAILED as state_begin. */
enum status wished_begin(const struct options *options, const struct work_item *item, const json_t *manifest,
                         struct guard *guard, json_t **record, struct error *error);

/* Puts back what was set; warns where it could not. */
void wished_end(const struct options *options, struct guard *guard);

#endif
