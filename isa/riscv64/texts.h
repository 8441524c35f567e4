/* The rules for users' own RISC-V instructions (isa/text_rules.h). */
#ifndef ISA_RISCV64_TEXTS_H
#define ISA_RISCV64_TEXTS_H

#include "isa/text_rules.h"

extern const struct text_rules riscv64_text_rules;

#endif
