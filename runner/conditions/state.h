/* The machine's state while a point runs (DESIGN.md section 4, state): set where the user allows it, observed
 * in any case, put back afterwards. */
#ifndef RUNNER_CONDITIONS_STATE_H
#define RUNNER_CONDITIONS_STATE_H

#include "base/error.h"
#include "runner/conditions/guard.h"
#include "runner/conditions/journal.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A command's leave to set the machine's state: only one command of a machine has it at a time, and all that
 * it changes is in the journal first. */
struct state_lease {
    bool opened;
    struct journal journal; /* without a descriptor: nothing may be set, */
    struct guard guard;
    struct error why_not; /* because of this */
};

/* Takes the leave; before sensors are opened and threads begun. STATUS_UNAVAILABLE when another command has
 * it, or what one has left cannot be put back: what stands there now is not the machine's own. Where no
 * journal can be written, as without root, it is STATUS_OK with lease->why_not. told: sentences are added of
 * what a command before has left. Close with state_lease_close in every case. */
enum status state_lease_open(const char *root, struct state_lease *lease, json_t *told, struct error *error);

/* STATUS_FAILED when something could not be put back: then it stands in the journal for later commands. */
enum status state_lease_close(struct state_lease *lease, struct error *error);

/* What is wished, for all logical processors that are online: an idle one counts, too. */
struct state_request {
    const char *root;          /* "" for the machine itself */
    const json_t *wanted;      /* state = {...}; NULL: nothing */
    struct state_lease *lease; /* NULL or not opened: the user does not let it be set */
};

/* {"governor": ..., "frequency": {"min", "max"} in GHz, ...}, each as it is on all of the processors, or a
 * list of what it is on each; what is not told is left out. New reference. */
json_t *state_observe(const char *root);

/* Sets what is wished, if that is allowed, and returns {"wanted", "observed", "unmet": [sentences]}: "unmet"
 * only where there are some. New reference; NULL without a wish. */
json_t *state_begin(const struct state_request *request);

/* Puts back what was set since. STATUS_FAILED, with what, when something could not be. */
enum status state_end(struct state_lease *lease, struct error *error);

#endif
