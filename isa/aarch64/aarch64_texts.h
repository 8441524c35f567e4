/* The rules for users' own AArch64 instructions (isa/text_rules.h). */
#ifndef ISA_AARCH64_AARCH64_TEXTS_H
#define ISA_AARCH64_AARCH64_TEXTS_H

#include "isa/text_rules.h"

extern const struct text_rules aarch64_text_rules;

#endif
