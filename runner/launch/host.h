/* What is written about the machine that a run was made on: the context line of results (DESIGN.md section
 * 7). */
#ifndef RUNNER_LAUNCH_HOST_H
#define RUNNER_LAUNCH_HOST_H

#include "base/error.h"
#include "generator/machine/machine.h"

#include <jansson.h>

/* Adds host, kernel, cpu, microcode and governor to the object; what the system does not tell is null. */
void host_describe(json_t *context);

/* Measures on the present machine and adds "clock": {"cycles_per_tick": {...}} and "latency_cycles": {"L1D",
 * "L2"}, from chases with hits alone and with misses alone beside a chain of one-cycle operations.
 * STATUS_UNAVAILABLE on any other machine. */
enum status host_measure_latency(const struct machine *machine, int cpu, json_t *context,
                                 struct error *error);

/* A logical processor to measure on: the last of those that this process may use and that are of the first
 * one's kind (runner/launch/host_cpu.h), as the first often serves interrupts. -1 when there is no telling.
 */
int host_choose_cpu(void);

#endif
