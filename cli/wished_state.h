/* A point's state = {...} around what is done with it, as --allow-state and --sysfs-root say. */
#ifndef CLI_WISHED_STATE_H
#define CLI_WISHED_STATE_H

#include "cli/options.h"
#include "cli/work.h"
#include "runner/conditions/state.h"

/* Where sensors and the state are: "" for the machine itself. */
const char *wished_root(const struct options *options);

/* Before any command: what one before has left changed of the machine's state is put back, where this user
 * may, and told. */
void wished_put_back(const struct options *options);

/* Takes the leave to set the machine's state (work->lease) where --allow-state is given and one of the points
 * has a wish. elsewhere: points for machines that are not this one have it fulfilled, too. STATUS_UNAVAILABLE
 * as state_lease_open. */
enum status wished_open(const struct options *options, bool elsewhere, struct work *work,
                        struct error *error);

/* Sets or only observes what the manifest wishes, warns of each wish that is unmet, and returns the record of
 * state_begin. */
json_t *wished_begin(const struct options *options, struct work *work, const struct work_item *item,
                     const json_t *manifest);

/* Puts back what was set; warns where it could not. */
void wished_end(const struct options *options, struct work *work);

/* Gives the leave back. */
void wished_close(const struct options *options, struct work *work);

#endif
