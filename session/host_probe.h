/* Results of a brief probe of this host: a core's share of the shared caches, their latencies, and the issue
 * width. run and check probe with --probe. The result is kept in the user's own folder, per host and kernel,
 * and every later command for the present machine uses it. */
#ifndef SESSION_HOST_PROBE_H
#define SESSION_HOST_PROBE_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "session/target_request.h"

#include <stdbool.h>

/* True for a present machine that shares its last-level cache with other cores or guests: a core's share of
 * it varies and is not in the description. */
bool host_probe_is_shared(const struct machine *machine);

/* Adds a probe's results to the present machine; leaves other machines unchanged. With --probe it probes and
 * stores the results, with probe_shares it probes without storing, else it uses the results stored for this
 * host and kernel, if any. STATUS_USAGE for --probe with -m; STATUS_FAILED when the results cannot be stored;
 * else as probe_run. */
enum status host_probe_use(const struct target_request *request, struct machine *machine,
                           struct error *error);

#endif
