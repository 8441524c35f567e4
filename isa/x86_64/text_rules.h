/* The rules for users' own x86-64 instructions (isa/text_rules.h). */
#ifndef ISA_X86_64_TEXT_RULES_H
#define ISA_X86_64_TEXT_RULES_H

#include "isa/text_rules.h"

extern const struct text_rules x86_64_text_rules;

#endif
