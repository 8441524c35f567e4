/* Describes the machine of a run for the context line of results (DESIGN.md section 7). */
#ifndef RUNNER_EVIDENCE_HOST_H
#define RUNNER_EVIDENCE_HOST_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <jansson.h>

/* Adds host, kernel, cpu, microcode and governor to the object; null for what the system does not report. */
void host_describe(json_t *context);

/* Adds "processors": {"cpus": [numbers], "socket", "cluster" and "core": of each, by hwloc's numbers}; a
 * cluster shares an L3, or an L2 if there is no L3. */
void host_describe_processors(json_t *context);

/* Measures on the present machine and adds "clock": {"cycles_per_tick": {...}} and "latency_cycles": {"L1D",
 * "L2"}, from chases with only hits and with only misses, beside a chain of one-cycle operations.
 * STATUS_UNAVAILABLE on any other machine. */
enum status host_measure_latency(const struct machine *machine, int cpu, json_t *context,
                                 struct error *error);

/* Chooses a logical processor to measure on: the last one available to this process and of the first one's
 * kind (runner/launch/host_cpu.h), as the first often serves interrupts. -1 when it cannot tell. */
int host_choose_cpu(void);

#endif
