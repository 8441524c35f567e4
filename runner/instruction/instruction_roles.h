/* What an instruction reads and writes, found by executing it: an operand is written if its content changes,
 * and a result depends on an operand if it changes with it. LLVM's C API has no such table, and a table of
 * ours would be one more thing to be wrong. */
#ifndef RUNNER_INSTRUCTION_INSTRUCTION_ROLES_H
#define RUNNER_INSTRUCTION_INSTRUCTION_ROLES_H

#include "base/error.h"
#include "runner/instruction/instruction_code.h"
#include "runner/instruction/instruction_text.h"
#include "runner/instruction/instruction_values.h"

#include <stdbool.h>
#include <stdint.h>

/* Operands by number: the instruction's slots, then: */
enum { INSN_FLAGS = INSN_SLOTS, INSN_MEMORY_OPERAND, INSN_OPERANDS };

struct insn_roles {
    bool written[INSN_OPERANDS];
    bool depends[INSN_OPERANDS][INSN_OPERANDS]; /* [result][operand] */
    uint64_t flags_written;                     /* bits of the flags register */
    uint64_t flags_by[INSN_OPERANDS];           /* those that change with this operand */
    bool random[INSN_OPERANDS];                 /* the result changes by itself: a clock, a random number */
};

/* True if the operand is read: some result depends on it. */
bool insn_reads(const struct insn_roles *roles, unsigned operand);

/* Executes the instruction with several contents of its operands. STATUS_FAILED with the signal if it faults
 * with each. code: of the right texts; its body is overwritten. */
enum status insn_roles_find(const struct insn *insn, const struct insn_values *values, struct insn_code *code,
                            struct insn_state *state, struct insn_roles *roles, struct error *error);

/* A fault of code that runs in between becomes false, with the signal; the caller's state is as after
 * longjmp. */
bool insn_run_guarded(const struct insn_code *code, const struct probe_code *made, uint64_t iterations,
                      struct insn_state *state, uint64_t *ticks, int *signal);

#endif
