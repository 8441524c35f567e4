/* Code around an instruction: the state that it starts from, the loop that it is timed in, and the ties,
 * which make one copy wait for the one before. The pieces are sections of templates/<isa>/instruction.s. */
#ifndef RUNNER_INSTRUCTION_INSTRUCTION_CODE_H
#define RUNNER_INSTRUCTION_INSTRUCTION_CODE_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/template.h"
#include "runner/instruction/instruction_text.h"
#include "runner/probe/code.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    INSN_MEMORY_BYTES = 8192, /* the operand's memory; operands lie around its middle */
    INSN_GENERAL = 32,
    INSN_VECTORS = 32,
    INSN_VECTOR_BYTES = 64,
    INSN_MASKS = 8,
    INSN_FLAG_BYTES = 4,
};

/* The content of the registers, by their numbers. */
struct insn_registers {
    uint64_t general[INSN_GENERAL];
    uint64_t masks[INSN_MASKS];
    uint64_t flags;
    uint64_t unused[7];
    unsigned char vectors[INSN_VECTORS][INSN_VECTOR_BYTES];
    unsigned char scalable[INSN_VECTORS][INSN_VECTOR_BYTES];
};

/* The memory and registers that a piece of code uses, aligned to a page. */
struct insn_state {
    unsigned char memory[INSN_MEMORY_BYTES];
    struct insn_registers before, after;
    uint64_t start, control, own_control, spare;
};

/* The address in a memory operand's base register. */
#define INSN_MEMORY(state) ((state)->memory + INSN_MEMORY_BYTES / 2)

/* The values of the names in a section's braces. */
struct insn_tie {
    struct register_use from, to, constant, zero, base;
    int64_t disp;
    char flag[INSN_FLAG_BYTES];
};

/* Where code runs, if it is not this process: another processor's programs, under an emulator. */
struct insn_runner {
    const struct isa *isa;
    struct insn_state *state; /* at the same address there, and shared */

    /* Runs it; returns false with the signal after a fault. */
    bool (*run)(void *context, const struct probe_code *made, uint64_t iterations, uint64_t *ticks,
                int *signal);
    void *context;
};

/* Code before it is assembled: text, and the registers that it needs loaded. */
struct insn_code {
    const struct template *texts;
    const struct insn_runner *runner; /* NULL: this process */
    bool wide;                        /* the processor has vectors of 256 bits or masks of 64, or more */
    bool full;                        /* 512 bits */
    struct buffer body;
    struct register_use used[2 * INSN_GENERAL + 2 * INSN_VECTORS];
    unsigned used_count;
};

/* The file for that processor; isa NULL: the present one. STATUS_UNAVAILABLE if templates/ has none for it.
 * Free with template_free even after an error. */
enum status insn_texts_open(const struct isa *isa, struct template *texts, struct error *error);

/* True if there is one for the present processor. */
bool insn_is_measurable(void);

/* Notes that the body uses the register, which is then loaded from `before`. */
void insn_code_use(struct insn_code *code, const struct register_use *use);

/* Appends a section to the body. A vector's section has the bits of `to`, or else `from`, in its name
 * ("load.v.256"), which is given without ("load.v"). STATUS_FAILED if there is none. */
enum status insn_code_add(struct insn_code *code, const char *section, const struct insn_tie *tie,
                          struct error *error);

/* Makes a function of it: loads the used registers, runs the body once, or in a loop, and with `save` stores
 * the same registers and the flags in `after`. flags: also loads them; carry: the loop's end keeps them for
 * the next iteration, so that a chain through them continues. Errors as probe_code_assemble. */
struct insn_make {
    bool loop, flags, save, carry;
};
enum status insn_code_make(struct insn_code *code, const struct insn_make *make, struct probe_code *made,
                           struct error *error);

/* Runs it; returns the clock's ticks. */
uint64_t insn_code_run(const struct insn_code *code, const struct probe_code *made, uint64_t iterations,
                       struct insn_state *state);

/* The bits of the flags register that conditions read; 0: the processor has none. */
uint64_t insn_flags(const struct template *texts);

/* The register's word or vector in the state, and its size. */
void *insn_register(struct insn_registers *registers, const struct register_use *use);
size_t insn_register_bytes(const struct register_use *use);

void insn_code_free(struct insn_code *code);

#endif
