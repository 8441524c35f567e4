/* Describes the machine of a run for the context line of results (DESIGN.md section 7). */
#ifndef RUNNER_EVIDENCE_HOST_H
#define RUNNER_EVIDENCE_HOST_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json/json_text.h"
#include "generator/machine/machine.h"

/* NULL: the system does not report it. */
struct host_names {
    struct arena arena; /* owns the texts; for arena_free */
    const char *host, *kernel, *cpu, *microcode, *governor;
};

void host_read(struct host_names *names);

/* Writes the names as members. */
void host_write(struct json_text *text);

/* Writes "processors": {"cpus": [...], "socket": [...], "cluster": [...], "core": [...]}: a number for each
 * logical processor, by hwloc's numbering. A cluster shares an L3, or an L2 if there is no L3. */
void host_write_processors(struct json_text *text);

/* Measures the present machine and writes "clock": {"cycles_per_tick": {...}} and "latency_cycles": {"L1D",
 * "L2"}. They follow from the times of a chase that always hits and of one that always misses, beside a chain
 * of one-cycle operations. STATUS_UNAVAILABLE on any other machine. */
enum status host_measure_latency(const struct machine *machine, int cpu, struct json_text *text,
                                 struct error *error);

/* Chooses a logical processor to measure on: the last one that is available to this process and of the first
 * one's kind (runner/launch/host_cpu.h), as the first often serves interrupts. -1: it cannot be
 * determined. */
int host_choose_cpu(void);

#endif
