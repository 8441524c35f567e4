/* A recipe's own instruction text: cut into instructions, given its registers, assembled by LLVM MC and
 * looked at as bytes. What an instruction reads and writes is known or it is refused: nothing but the text's
 * own registers and memory and the flags changes, and nothing but the next instruction follows. */
#ifndef GENERATOR_EMIT_USER_ASM_H
#define GENERATOR_EMIT_USER_ASM_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"
#include "isa/template.h"

enum { USER_ASM_INSTRUCTIONS = 256, USER_ASM_TEXT = 8192, USER_ASM_FEATURES = 32 };

/* Where {memory} is while a text is looked at, and the farthest that it may be from the data's start: a
 * displacement of four bytes. */
#define USER_ASM_FARTHEST UINT64_C(0x7ff00000)

/* The processor's features that a text needs. */
struct user_asm_features {
    const char *names[USER_ASM_FEATURES];
    unsigned count;
};

struct user_asm {
    const char **lines; /* one instruction each, registers filled in, {memory} still to be */
    unsigned line_count;
    struct user_asm_features features;
    struct form form; /* instructions, longest encoding, and as text what the disassembler calls them */
};

/* Checks the behaviour's text with the registers given and fills *user_asm from the arena. STATUS_RECIPE,
 * with the recipe's file and line where they are known, when the text is wrong, does what no text may do, or
 * needs what the machine's features lack. */
enum status user_asm_make(const struct behaviour *item, const struct register_use *given,
                          const struct template *templates, const struct machine *machine,
                          struct arena *arena, struct user_asm *user_asm, struct error *error);

/* Appends the line with its memory at that many bytes from the data's start. */
void user_asm_write(const char *line, uint64_t offset, const struct isa *isa, struct buffer *output);

#endif
