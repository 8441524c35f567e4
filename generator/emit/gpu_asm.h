/* Checks a recipe's own instructions for GPUs, so that they change nothing that the program needs. */
#ifndef GENERATOR_EMIT_GPU_ASM_H
#define GENERATOR_EMIT_GPU_ASM_H

#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Checks the asm{}'s text for the ISA and machine; OpenCL C takes none, so that there is nothing to check.
 * STATUS_RECIPE, at the asm{}, with the instruction and the reason. */
enum status gpu_asm_check(const struct isa *isa, const struct machine *machine, const struct behaviour *item,
                          struct error *error);

/* The same for NVIDIA: each statement must be an operation on the text's own registers or on read-only ones,
 * so that it changes no memory and nothing else in the program. */
enum status gpu_asm_ptx_check(const struct behaviour *item, struct error *error);

/* The same for AMD, with instructions separated by ";" and line ends; arch is LLVM's name of the processor
 * ("gfx906"). Each must be one instruction, not a directive (which could read files or terminate LLVM). They
 * may write v1 to v3, v5 to v7, s27, vcc and scc: templates/gcn keeps no values there between slots. */
enum status gpu_asm_gcn_check(const char *arch, const struct behaviour *item, struct error *error);

/* Parses "{r1}" or "{r1:64}" of a PTX text at `at`: returns its length, or 0 if it is neither. */
size_t gpu_asm_ptx_register(const char *at, unsigned long *number, bool *wide);

/* True if the name is one of the words, which blanks enclose. */
static inline bool gpu_asm_has_word(const char *words, const char *name, size_t length)
{
    for (const char *at = words; (at = strchr(at, ' ')) != NULL; at++)
        if (strncmp(at + 1, name, length) == 0 && at[1 + length] == ' ')
            return length > 0;
    return false;
}

#endif
