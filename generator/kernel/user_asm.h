/* A recipe's own instructions (asm{}): the text is split into instructions, registers are filled in, and LLVM
 * MC assembles it to bytes, which are checked. An instruction whose reads and writes are unknown is refused.
 * A text may change only its own registers, its memory and the flags, and control always continues with the
 * next instruction. */
#ifndef GENERATOR_KERNEL_USER_ASM_H
#define GENERATOR_KERNEL_USER_ASM_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"
#include "isa/template.h"

enum { USER_ASM_INSTRUCTIONS = 256, USER_ASM_TEXT = 8192, USER_ASM_FEATURES = 32 };

/* The row that copies the last load's value to the register of {loaded}. A text gets a copy, because it may
 * write its registers, and a chase needs the value as the next address. */
#define USER_ASM_COPY "asm.loaded"

/* The processor's features that a text needs. */
struct user_asm_features {
    const char *names[USER_ASM_FEATURES];
    unsigned count;
};

struct user_asm {
    const char **lines; /* one instruction each, with registers filled in but not {memory} */
    unsigned line_count;
    struct user_asm_features features;
    bool bare;        /* some instruction's address of {memory} takes no displacement */
    struct form form; /* the number of instructions, their longest encoding, and the disassembler's mnemonics
                         as text; includes USER_ASM_COPY if the text consumes a load */
};

/* Checks the behaviour's text with the registers `given`, which end with that of {loaded} if it consumes a
 * load, and fills *user_asm from the arena. STATUS_RECIPE, with the recipe's file and line if known, if the
 * text is wrong, does something forbidden, or needs features that the machine lacks. */
enum status user_asm_make(const struct behaviour *item, const struct register_use *given,
                          const struct template *templates, const struct machine *machine,
                          struct arena *arena, struct user_asm *user_asm, struct error *error);

/* Appends the line with its memory `offset` bytes from the data's start. */
void user_asm_write(const char *line, uint64_t offset, const struct isa *isa, struct buffer *output);

#endif
