/* What traces say of an instruction beside its address: which kind of branch it is, and the registers that it
 * reads and writes, from its bytes and its disassembled text. */
#ifndef RUNNER_TRACING_INSTRUCTION_ROLE_H
#define RUNNER_TRACING_INSTRUCTION_ROLE_H

#include "isa/isa.h"

#include <stddef.h>
#include <stdint.h>

enum branch_role { ROLE_NONE, ROLE_JUMP, ROLE_CONDITIONAL, ROLE_INDIRECT, ROLE_CALL, ROLE_RETURN };

enum { ROLE_REGISTERS = 4, ROLE_NO_REGISTER = -1 };

/* Registers are indices in the ISA's table; ROLE_NO_REGISTER ends a list that is not full. */
struct instruction_role {
    enum branch_role branch;
    int reads[ROLE_REGISTERS], writes[ROLE_REGISTERS];
    bool reads_flags, writes_flags;
};

struct instruction_role instruction_role_of(const struct isa *isa, const uint8_t *bytes, size_t size,
                                            const char *text);

#endif
