/* The machine's state while a point runs (DESIGN.md section 4, state): set if the user allows it, observed in
 * any case, restored afterwards. */
#ifndef RUNNER_STATE_MACHINE_STATE_H
#define RUNNER_STATE_MACHINE_STATE_H

#include "base/error.h"
#include "runner/results/result_point.h"
#include "runner/state/journal.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A child that waits for the end of this process, however that happens, and then restores the changes that
 * the journal lists. All zeros is none. */
struct guard {
    pid_t pid; /* 0: none */
    int line;  /* to the child: when it is closed, the child restores everything */
};

/* True while the child exists: without it, nothing may be changed. */
bool guard_watches(const struct guard *guard);

/* A command's exclusive lease to set the machine's state; every change is written to the journal first. */
struct state_lease {
    bool opened;
    struct journal journal; /* without a descriptor: nothing may be set, for the reason why_not */
    struct guard guard;
    struct error why_not;
};

/* Takes the lease; call it before opening sensors and starting threads. STATUS_UNAVAILABLE when another
 * command holds it, or when changes left by an earlier one cannot be restored, as the present state is then
 * not the machine's own. If no journal can be written, as without root, it returns STATUS_OK with
 * lease->why_not. Adds notes about changes that an earlier command left. Close with state_lease_close in
 * every case. */
enum status state_lease_open(const char *root, struct state_lease *lease, struct warnings *notes,
                             struct error *error);

/* STATUS_FAILED when something could not be restored; it then remains in the journal for later commands. */
enum status state_lease_close(struct state_lease *lease, struct error *error);

/* The processors whose state is requested, and the permission to set it. */
struct state_request {
    const char *root;          /* "" for the machine itself */
    struct state_lease *lease; /* NULL or not opened: the user does not allow setting it */
    const int *cpus;           /* logical processors */
    size_t cpu_count;          /* 0: all that are online, including idle ones */
};

/* The machine's state: "governor", "frequency" with "min" and "max" in GHz, ... Each is the value common to
 * all processors, or to all of AMD's GPUs, or a list of their values; unknown ones are omitted. */
struct value state_observe(const char *root, struct arena *arena);

/* Sets the record's wanted state if that is allowed, and records the observed state and unmet requests. */
void state_begin(const struct state_request *request, struct state_record *record);

/* The same for AMD's GPUs (amdgpu_knobs): the card with that PCI address, or all if NULL. Adds to the record.
 */
void state_begin_gpu(const struct state_request *request, const char *pci, struct state_record *record);

/* Restores everything that was set. STATUS_FAILED, naming it, when something could not be restored. */
enum status state_end(struct state_lease *lease, struct error *error);

#endif
