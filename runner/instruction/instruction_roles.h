/* The values of an instruction's operands while it is measured, and which of them it reads and writes, found
 * by executing it: an operand is written if its content changes, and a result depends on an operand if it
 * changes with it. LLVM's C API has no such table, and a table here could be wrong. */
#ifndef RUNNER_INSTRUCTION_INSTRUCTION_ROLES_H
#define RUNNER_INSTRUCTION_INSTRUCTION_ROLES_H

#include "base/error.h"
#include "isa/template.h"
#include "runner/instruction/instruction_code.h"
#include "runner/instruction/instruction_text.h"

#include <stdbool.h>
#include <stdint.h>

enum { INSN_VALUES_MOST = 4, INSN_OWN_VALUES = 8, INSN_LABEL_BYTES = 32 };

/* One set of values: a row of the section "values" of templates/<isa>/instruction.s, by mnemonic. A
 * division's time depends on them. */
struct insn_values {
    char label[INSN_LABEL_BYTES]; /* "": none */
    bool keep;                    /* each copy must have these, not the results of the one before */
    uint64_t other;
    struct {
        struct register_use use; /* used implicitly; kind 0: */
        unsigned place;          /* the register that its text names there, from 0 on */
        uint64_t value;
    } own[INSN_OWN_VALUES];
    unsigned own_count;
};

/* The sets for the instruction; returns their number, at least 1. */
unsigned insn_values_read(const struct template *texts, const struct insn *insn,
                          struct insn_values values[INSN_VALUES_MOST]);

/* Puts the slot's value into the register that takes its place. */
void insn_values_set(const struct insn_values *values, const struct insn *insn, unsigned slot,
                     const struct register_use *use, struct insn_state *state);

/* Fills the operand's memory. */
void insn_values_set_memory(const struct insn_values *values, struct insn_state *state);

/* Operands by number: the instruction's slots, then: */
enum { INSN_FLAGS = INSN_SLOTS, INSN_MEMORY_OPERAND, INSN_OPERANDS };

struct insn_roles {
    bool written[INSN_OPERANDS];
    bool depends[INSN_OPERANDS][INSN_OPERANDS]; /* [result][operand] */
    uint64_t flags_written;                     /* bits of the flags register */
    uint64_t flags_by[INSN_OPERANDS];           /* those that change with this operand */
    bool random[INSN_OPERANDS];                 /* the result differs each time: a clock, a random number */
};

/* True if the operand is read: some result depends on it. */
bool insn_reads(const struct insn_roles *roles, unsigned operand);

/* Executes the instruction with several contents of its operands. STATUS_FAILED with the signal if it faults
 * with each. code: of the right texts; its body is overwritten. */
enum status insn_roles_find(const struct insn *insn, const struct insn_values *values, struct insn_code *code,
                            struct insn_state *state, struct insn_roles *roles, struct error *error);

/* Runs the code as insn_code_run does; returns false with the signal after a fault, when the caller's state
 * is as after longjmp. */
bool insn_run_guarded(const struct insn_code *code, const struct probe_code *made, uint64_t iterations,
                      struct insn_state *state, uint64_t *ticks, int *signal);

#endif
