/* The machine's state while a point runs (DESIGN.md section 4, state): set where the user allows it, observed
 * in any case, put back afterwards. */
#ifndef RUNNER_STATE_STATE_H
#define RUNNER_STATE_STATE_H

#include "base/error.h"
#include "runner/state/guard.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What is wished, for all logical processors that are online: an idle one counts, too. */
struct state_request {
    const char *root;     /* "" for the machine itself */
    const json_t *wanted; /* state = {...}; NULL: nothing */
    bool allowed;         /* the user lets it be set */
};

/* {"governor": ..., "frequency": {"min", "max"} in GHz, ...}, each as it is on all of the processors, or a
 * list of what it is on each; what is not told is left out. New reference. */
json_t *state_observe(const char *root);

/* Sets what is wished, if that is allowed, and returns {"wanted", "observed", "unmet": [sentences]}: "unmet"
 * only where there are some. guard: to be given to guard_close after the run. STATUS_FAILED when nothing
 * could be put back later; then nothing is changed. *record: new reference, NULL without a wish. */
enum status state_begin(const struct state_request *request, struct guard *guard, json_t **record,
                        struct error *error);

#endif
