/* Micro-operations per instruction, in all and by the execution port that ran them, where the processor
 * counts these: rows "port_NAME" of templates/events/, and "uops_retired" or "uops_issued". Each event is
 * counted in this thread around a loop that runs once and then again twice as long, so that the overhead of a
 * run cancels out. Only insn_ports_open needs a machine with counters. */
#ifndef RUNNER_INSTRUCTION_INSTRUCTION_PORTS_H
#define RUNNER_INSTRUCTION_INSTRUCTION_PORTS_H

#include "base/error.h"
#include "base/stats.h"
#include "runner/state/perf_host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSN_PORTS_MOST = 16, INSN_PORT_NAME_BYTES = 16 };

struct insn_port {
    char name[INSN_PORT_NAME_BYTES]; /* "0", "2,3"; "" for the micro-operations of all ports */
    struct interval per_instruction;
};

struct insn_ports {
    struct insn_port ports[INSN_PORTS_MOST]; /* the first is that of all ports, if the processor counts it */
    unsigned count;
};

/* The events of a processor that count micro-operations. */
struct insn_port_events;

/* NULL, with STATUS_UNAVAILABLE and the reason, if this machine counts no micro-operations. */
struct insn_port_events *insn_ports_open(const struct perf_host *host, struct error *error);
void insn_ports_close(struct insn_port_events *events);

/* Runs a loop for so many iterations, in this thread. */
typedef void insn_ports_run(void *context, uint64_t iterations);

/* Counts each event over the loop and over `empty`, a loop of no instructions whose micro-operations are
 * subtracted (NULL: none). instructions: in one iteration. */
struct insn_ports_loop {
    insn_ports_run *run, *empty;
    void *context;
    uint64_t iterations;
    double instructions;
};

/* STATUS_UNAVAILABLE when the counters stopped working. */
enum status insn_ports_count(const struct insn_port_events *events, const struct insn_ports_loop *loop,
                             struct insn_ports *ports, struct error *error);

#endif
