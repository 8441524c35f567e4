/* What a brief probe found of this host: what a core has of its shared caches, and their latencies. run and
 * check make one with --probe; it is kept in the user's own folder, per host and kernel, and every command
 * that takes the present machine uses it from then on. */
#ifndef CLI_HOST_PROBE_H
#define CLI_HOST_PROBE_H

#include "base/error.h"
#include "cli/options.h"
#include "generator/machine/machine.h"

/* Adds to the present machine what was found, now with --probe, else by an earlier one of this host and
 * kernel. Nothing happens to any other machine. STATUS_USAGE with --probe and -m; otherwise as probe_run, or
 * STATUS_FAILED when what was found cannot be kept. */
enum status host_probe_use(const struct options *options, struct machine *machine, struct error *error);

#endif
