/* One instruction of a recipe's own text, as the disassembler gives it: may it stand there? */
#ifndef GENERATOR_EMIT_USER_ASM_CHECK_H
#define GENERATOR_EMIT_USER_ASM_CHECK_H

#include "generator/emit/user_asm.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"
#include "isa/text_rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands for a text's memory. */
#define USER_ASM_MEMORY "{memory}"

struct user_asm_context {
    const struct behaviour *item;
    const struct register_use *given; /* [item->registers] */
    const struct text_rules *rules;
    const struct machine *machine;
    struct user_asm_features *features; /* gets what the instructions need */
};

/* True when the instruction uses nothing that the text was not given and the machine has what it needs; else
 * *why gets the reason, which goes on from the instruction's text. line: as the recipe has it, registers
 * filled in; text and bytes: as understand() takes them. */
bool user_asm_check(const struct user_asm_context *context, const char *line, const char *text,
                    const uint8_t *bytes, size_t size, char *why, size_t capacity);

#endif
