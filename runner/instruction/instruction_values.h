/* What an instruction's operands hold while it is measured: rows of the section "values" of
 * templates/<isa>/instruction.s, by mnemonic. A division's time depends on them. */
#ifndef RUNNER_INSTRUCTION_INSTRUCTION_VALUES_H
#define RUNNER_INSTRUCTION_INSTRUCTION_VALUES_H

#include "isa/template.h"
#include "runner/instruction/instruction_code.h"
#include "runner/instruction/instruction_text.h"

#include <stdbool.h>
#include <stdint.h>

enum { INSN_VALUES_MOST = 4, INSN_OWN_VALUES = 8, INSN_LABEL_BYTES = 32 };

/* One set of values. */
struct insn_values {
    char label[INSN_LABEL_BYTES]; /* "": none */
    bool keep;                    /* each copy must have these, not what the one before leaves */
    uint64_t other;
    struct {
        struct register_use use; /* that the instruction uses whatever its text; kind 0: */
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

#endif
