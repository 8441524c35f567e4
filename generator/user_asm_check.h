/* One instruction of a recipe's own text, as the disassembler gives it: may it stand there? */
#ifndef GENERATOR_USER_ASM_CHECK_H
#define GENERATOR_USER_ASM_CHECK_H

#include "generator/kernel.h"
#include "generator/machine.h"
#include "generator/user_asm.h"
#include "isa/text_rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where {memory} is while a text is looked at: a displacement of four bytes, and more than any data has. */
#define USER_ASM_FARTHEST UINT64_C(0x7ff00000)

struct user_asm_context {
    const struct behaviour *item;
    const struct register_use *given; /* [item->registers] */
    const struct text_rules *rules;
    const struct machine *machine;
    const uint8_t *bytes;               /* of the whole text's code */
    struct user_asm_features *features; /* gets what the instructions need */
};

/* True when the instruction uses nothing that the text was not given and the machine has what it needs; else
 * *why gets the reason, which goes on from the instruction's text. */
bool user_asm_check(const struct user_asm_context *context, const char *text, const uint8_t *bytes,
                    size_t size, char *why, size_t capacity);

#endif
