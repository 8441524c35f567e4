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

/* Restores changed state however this process ends: a child that waits for that and then restores what the
 * journal lists. All zeros is none. */
struct guard {
    pid_t pid; /* 0: none */
    int line;  /* to the child: closing it is the order to restore everything */
};

/* True while the child exists: without it, nothing may be changed. */
bool guard_watches(const struct guard *guard);

/* A command's exclusive lease to set the machine's state; every change is written to the journal first. */
struct state_lease {
    bool opened;
    struct journal journal; /* without a descriptor: nothing may be set, */
    struct guard guard;
    struct error why_not; /* for this reason */
};

/* Takes the lease; call it before opening sensors and starting threads. STATUS_UNAVAILABLE when another
 * command holds it, or when changes left by an earlier one cannot be restored: the present state is not the
 * machine's own. If no journal can be written, as without root, it returns STATUS_OK with lease->why_not.
 * Adds sentences to told about what an earlier command left. Close with state_lease_close in every case. */
enum status state_lease_open(const char *root, struct state_lease *lease, struct warnings *told,
                             struct error *error);

/* STATUS_FAILED when something could not be restored: it then remains in the journal for later commands. */
enum status state_lease_close(struct state_lease *lease, struct error *error);

/* The requested state for all online logical processors, including idle ones, or for those alone. */
struct state_request {
    const char *root;          /* "" for the machine itself */
    struct state_lease *lease; /* NULL or not opened: the user does not allow setting it */
    const int *cpus;           /* of processors' state */
    size_t cpu_count;          /* 0: all */
};

/* "governor", "frequency" with "min" and "max" in GHz, ...: each the value common to all processors, or to
 * all of AMD's GPUs, or a list of their values; omits what is unknown. */
struct value state_observe(const char *root, struct arena *arena);

/* Sets what the record says is wanted if allowed, and records what is observed and unmet. */
void state_begin(const struct state_request *request, struct state_record *record);

/* The same for AMD's GPUs (amdgpu_knobs): the card with that PCI address, or all if NULL. Adds to the record.
 */
void state_begin_gpu(const struct state_request *request, const char *pci, struct state_record *record);

/* Restores what was set since. STATUS_FAILED, naming it, when something could not be restored. */
enum status state_end(struct state_lease *lease, struct error *error);

#endif
