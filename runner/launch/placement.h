/* Maps a manifest's threads and place to logical processors of the machine. Never fewer copies than
 * requested, and never two on one processor: what the machine lacks becomes an error message. */
#ifndef RUNNER_LAUNCH_PLACEMENT_H
#define RUNNER_LAUNCH_PLACEMENT_H

#include "base/error.h"
#include "generator/suite/manifest_read.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>

enum { PLACEMENT_MOST = 1024 };

struct placement {
    size_t count;             /* 0: nothing runs */
    int cpus[PLACEMENT_MOST]; /* logical processors in the operating system's numbering */
    struct error why_not;     /* with a message: the processors are not here, and nothing can run */
};

/* True when the manifest has threads or a place; otherwise one copy runs where the runner chooses. */
bool placement_asked(const struct manifest *manifest);

/* Chooses on the present machine, among the processors available to this process. "cores" are logical
 * processors; "cu" are compute units, the cores that share an L2, and "sockets" packages, both as hwloc
 * counts them. Copies spread: one on each unit (core, CU, socket) before any has a second. Without a place
 * they go to cores of the first one's kind. The words "core", "cluster" (L3) and "socket" for "cores" are one
 * processor of each. Without threads there is one copy on each processor of the place.
 * STATUS_UNAVAILABLE, also in why_not, when there are too few, or one is missing or not allowed;
 * STATUS_RECIPE when a manifest contains what no recipe can. */
enum status placement_choose(const struct manifest *manifest, struct placement *placement,
                             struct error *error);

/* How many copies without a place can run together. */
enum status placement_count(size_t *count, struct error *error);

/* The same as placement_choose on any topology, from a file or a text. */
enum status placement_in(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
                         const struct manifest *manifest, struct placement *placement, struct error *error);

/* STATUS_UNAVAILABLE, with the nodes that this machine has, if the data is for another (node = N). */
enum status placement_check_nodes(const struct manifest *manifest, struct error *error);

#endif
