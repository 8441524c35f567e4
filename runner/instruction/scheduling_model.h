/* LLVM's scheduling models of instructions, from llvm-mca where it is installed: latency in cycles, and
 * cycles per instruction of copies that do not wait for each other. */
#ifndef RUNNER_INSTRUCTION_SCHEDULING_MODEL_H
#define RUNNER_INSTRUCTION_SCHEDULING_MODEL_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stddef.h>

enum { MODEL_NAME_BYTES = 64 };

struct insn_model {
    bool known;
    double latency;  /* the longest from any operand to any result */
    double per_copy; /* reciprocal throughput, cycles */
    unsigned micro_operations;
};

/* Reads the model of each of the assembled texts; models: [count]. cpu receives LLVM's name of the core.
 * Texts that the model lacks stay unknown. STATUS_UNAVAILABLE with the reason if llvm-mca is missing or has
 * no model of this core. */
enum status insn_models_read(const struct machine *machine, const char *const *texts, size_t count,
                             struct insn_model *models, char cpu[MODEL_NAME_BYTES], struct error *error);

#endif
