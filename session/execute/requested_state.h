/* Sets a point's state = {...} before its execution and restores the former state afterwards. */
#ifndef SESSION_EXECUTE_REQUESTED_STATE_H
#define SESSION_EXECUTE_REQUESTED_STATE_H

#include "base/error.h"
#include "session/events.h"
#include "session/work.h"

#include <stdbool.h>

/* Restores, before a command, the state that an earlier command left changed, as far as this user may, and
 * reports it. root: root folder of /sys; "": the machine's own. Below another root it writes only with
 * allow_state. */
void requested_state_restore(const char *root, bool allow_state, const struct session_events *events);

/* Takes the lease to set the machine's state (work->lease) if a point requests a state. elsewhere: also if
 * the point's machine is not this one. Without this call state is only observed. Errors as
 * state_lease_open. */
enum status requested_state_open(struct work *work, bool elsewhere, struct error *error);

/* Sets the requested state, if any; without the lease only observes it. Warns of each unmet request. Free the
 * record with state_record_free. */
void requested_state_begin(struct work *work, const struct work_item *item, const struct value *wanted,
                           struct state_record *record);

/* The same for the AMD GPU with that PCI address; below another root for all cards there. Adds to the record.
 */
void requested_state_gpu(struct work *work, const char *pci, struct state_record *record);

/* Restores the former state; warns of a failure. */
void requested_state_end(struct work *work);

/* Releases the lease. */
void requested_state_close(struct work *work);

#endif
