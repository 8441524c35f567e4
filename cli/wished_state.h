/* Applies a point's state = {...} around its execution, as --allow-state and --sysfs-root say. */
#ifndef CLI_WISHED_STATE_H
#define CLI_WISHED_STATE_H

#include "cli/options.h"
#include "cli/work.h"
#include "runner/state/machine_state.h"

/* The root folder of sensors and state: "" for the machine itself. */
const char *wished_root(const struct options *options);

/* Before any command: restores state that an earlier command left changed, as far as this user may, and
 * reports it. */
void wished_put_back(const struct options *options);

/* Takes the lease to set the machine's state (work->lease) if --allow-state is given and a point requests a
 * state. elsewhere: also for points whose machine is not this one. STATUS_UNAVAILABLE as state_lease_open. */
enum status wished_open(const struct options *options, bool elsewhere, struct work *work,
                        struct error *error);

/* Sets, or without permission only observes, the state that the manifest requests; warns of each unmet
 * request. Returns the record of state_begin. */
json_t *wished_begin(const struct options *options, struct work *work, const struct work_item *item,
                     const json_t *manifest);

/* Restores what was set; warns about what it could not restore. */
void wished_end(const struct options *options, struct work *work);

/* Releases the lease. */
void wished_close(const struct options *options, struct work *work);

#endif
