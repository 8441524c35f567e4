/* Checks whether a recipe's own text may contain an instruction, from its disassembly. */
#ifndef GENERATOR_EMIT_USER_ASM_CHECK_H
#define GENERATOR_EMIT_USER_ASM_CHECK_H

#include "generator/emit/user_asm.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"
#include "isa/text_rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The placeholder for a text's memory. */
#define USER_ASM_MEMORY "{memory}"

struct user_asm_context {
    const struct behaviour *item;
    const struct register_use *given; /* [item->registers] */
    const struct text_rules *rules;
    const struct machine *machine;
    struct user_asm_features *features; /* receives what the instructions need */
};

/* True if the instruction uses only what the text was given and the machine has the features that it needs;
 * otherwise *why receives the reason, as a continuation of the instruction's text. line: from the recipe,
 * with registers filled in; text and bytes: as for understand(). */
bool user_asm_check(const struct user_asm_context *context, const char *line, const char *text,
                    const uint8_t *bytes, size_t size, char *why, size_t capacity);

#endif
