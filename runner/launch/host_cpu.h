/* Chooses the logical processor to measure on from a topology: hwloc's, or one from a file. */
#ifndef RUNNER_LAUNCH_HOST_CPU_H
#define RUNNER_LAUNCH_HOST_CPU_H

#include <hwloc.h>
#include <stdbool.h>

/* The last allowed logical processor whose data caches are as large as those of the first, which is the one
 * that generator/machine/detect.h describes: chips may have two kinds of core. -1 when none is allowed. */
int host_cpu_like_first(hwloc_topology_t topology, hwloc_const_bitmap_t allowed);

/* True when both have data caches of the same sizes. */
bool host_cpu_alike(hwloc_topology_t topology, int a, int b);

#endif
