/* Measures one instruction: cycles from each operand to each result that depends on it, by chains of copies,
 * and instructions per cycle, by copies that do not wait for each other. A cycle is one of a chain of
 * additions of one cycle each, timed beside every sample. */
#ifndef RUNNER_INSTRUCTION_INSTRUCTION_TIME_H
#define RUNNER_INSTRUCTION_INSTRUCTION_TIME_H

#include "base/error.h"
#include "base/stats.h"
#include "generator/machine/machine.h"
#include "runner/instruction/instruction_ports.h"
#include "runner/instruction/instruction_roles.h"

#include <stdbool.h>
#include <stddef.h>

enum { INSN_PAIRS = 48, INSN_REMARK_BYTES = 160, INSN_WHY_BYTES = sizeof((struct error *)0)->message };

/* From one operand to one result. */
struct insn_latency {
    unsigned from, to; /* operands, by number */
    struct interval cycles;
    double queued;                  /* cycles where copies wait in a full queue; 0: the same */
    double whole;                   /* cycles with the ties */
    bool split;                     /* half of a move there and back was subtracted */
    double delay;                   /* cycles that each addition of the clock beside it waited for others */
    char values[INSN_LABEL_BYTES];  /* of the operands; "": they do not matter */
    char doubt[INSN_REMARK_BYTES];  /* why it is not the latency; "": it is */
    char remark[INSN_REMARK_BYTES]; /* of the number's other parts; "": none */
};

struct insn_rate {
    struct interval per_cycle; /* low and high are NAN: the measurements do not agree */
    char values[INSN_LABEL_BYTES];
    char remark[INSN_REMARK_BYTES];
    char doubt[INSN_REMARK_BYTES]; /* why there is no interval, or it is not the rate; "": it is */
};

struct insn_times {
    struct insn insn;
    struct insn_roles roles;
    struct insn_latency latencies[INSN_PAIRS];
    unsigned latency_count;
    struct insn_rate rates[INSN_VALUES_MOST]; /* one for each set of values */
    unsigned rate_count;
    struct insn_ports ports;       /* with the first set of values; count 0: not counted, */
    char no_ports[INSN_WHY_BYTES]; /* for this reason */
    char ports_remark[INSN_REMARK_BYTES];
};

/* A loop of independent copies that ran for a while. */
struct insn_load {
    double instructions;
    double from_s, to_s; /* clock_now_s */
};

struct insn_bench;

/* Opens the state that all measurements share and measures the ties. runner: NULL for this process.
 * STATUS_UNAVAILABLE on a processor without texts. NULL after an error. */
struct insn_bench *insn_bench_open(const struct machine *machine, const struct insn_runner *runner,
                                   struct error *error);
void insn_bench_close(struct insn_bench *bench);

/* True if it leaves all registers, flags and memory as they were, with all values of its operands. */
bool insn_changes_nothing(const struct insn_times *times);

/* Measures the text. STATUS_USAGE if it is not an instruction that can be measured, STATUS_UNAVAILABLE if the
 * processor lacks it, STATUS_FAILED if it faults. */
enum status insn_measure(struct insn_bench *bench, const char *text, struct insn_times *times,
                         struct error *error);

/* The same for one of a list that is measured several times, some time apart: latencies to registers alone if
 * there are any, and one trial of the rate. Nothing confirms the numbers yet. */
enum status insn_measure_once(struct insn_bench *bench, const char *text, struct insn_times *times,
                              struct error *error);

/* Runs independent copies of the measured instruction for about so many seconds, as a load for power sensors.
 */
enum status insn_load_run(struct insn_bench *bench, const struct insn_times *times, double seconds,
                          struct insn_load *load, struct error *error);

/* The operand's name: "rax", "{r0}", "flags", "memory". */
const char *insn_operand_name(const struct insn *insn, unsigned operand);

#endif
