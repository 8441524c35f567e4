/* Results of a brief probe of this host: a core's share of the shared caches, their latencies, and the issue
 * width. run and check probe with --probe. The result is kept in the user's own folder, per host and kernel,
 * and every later command for the present machine uses it. */
#ifndef SESSION_HOST_PROBE_H
#define SESSION_HOST_PROBE_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "session/target_request.h"

#include <stdbool.h>

/* True for a present machine whose last cache other cores or other guests of its host use too: how much of it
 * a core has is not in its description, and varies. */
bool host_probe_is_shared(const struct machine *machine);

/* Adds the probe's results to the present machine: from a new probe with --probe, which is stored, or with
 * probe_shares, which is not; else from an earlier one of this host and kernel. Leaves other machines
 * unchanged. STATUS_USAGE with --probe and -m; otherwise as
 * probe_run, or STATUS_FAILED when the results cannot be stored. */
enum status host_probe_use(const struct target_request *request, struct machine *machine,
                           struct error *error);

#endif
