/* Applies a point's state = {...} around its execution. */
#ifndef SESSION_EXECUTE_REQUESTED_STATE_H
#define SESSION_EXECUTE_REQUESTED_STATE_H

#include "base/error.h"
#include "session/events.h"
#include "session/work.h"

#include <stdbool.h>

/* Before any command: restores state that an earlier command left changed, as far as this user may, and
 * reports it. root: "" for the machine itself; in another nothing is written unless allow_state. */
void requested_state_restore(const char *root, bool allow_state, const struct session_events *events);

/* Takes the lease to set the machine's state (work->lease) if a point requests a state. elsewhere: also for
 * points whose machine is not this one. Without this call state is only observed. STATUS_UNAVAILABLE as
 * state_lease_open. */
enum status requested_state_open(struct work *work, bool elsewhere, struct error *error);

/* Sets, or without the lease only observes, the requested state, if there is one; warns of each unmet
 * request. Fills the record, which is freed with state_record_free. */
void requested_state_begin(struct work *work, const struct work_item *item, const struct value *wanted,
                           struct state_record *record);

/* The same for an AMD GPU, of that PCI address, or in another root for all cards there. Adds to the record.
 */
void requested_state_gpu(struct work *work, const char *pci, struct state_record *record);

/* Restores what was set; warns about what it could not restore. */
void requested_state_end(struct work *work);

/* Releases the lease. */
void requested_state_close(struct work *work);

#endif
