/* Maps a manifest's threads and place to logical processors of the machine. There are never fewer copies than
 * requested, and never two on one processor: a machine that is too small is an error. */
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
    struct error why_not;     /* if it has a message: why the processors are missing, and nothing can run */
};

/* Chooses processors of the present machine, among those available to this process. In a place, "cores" are
 * logical processors, "cu" compute units (cores that share an L2), and "sockets" packages, both as hwloc
 * counts them. "cores" may also be a word: "core", "cluster" (L3) or "socket" chooses one processor of each.
 * Each unit (core, CU, socket) gets a copy before any gets a second. Without a place, copies go to cores of
 * the same kind as the first. Without threads, there is one copy on each processor of the place.
 * STATUS_UNAVAILABLE, also in why_not, when there are too few, or one is missing or not allowed;
 * STATUS_RECIPE when a manifest contains what no recipe can. */
enum status placement_choose(const struct manifest *manifest, struct placement *placement,
                             struct error *error);

/* How many copies without a place can run together. */
enum status placement_count(size_t *count, struct error *error);

/* The same as placement_choose on any topology, from a file or a text. */
enum status placement_in(hwloc_topology_t topology, hwloc_const_bitmap_t allowed,
                         const struct manifest *manifest, struct placement *placement, struct error *error);

/* STATUS_UNAVAILABLE, with the nodes that this machine has, if the data is for a node that it lacks
 * (node = N). */
enum status placement_check_nodes(const struct manifest *manifest, struct error *error);

#endif
