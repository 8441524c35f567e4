/* Checks a recipe's own statements for NVIDIA GPUs: each must be an operation on the text's own registers or
 * on read-only ones, so that it changes no memory and nothing else in the program. */
#ifndef GENERATOR_EMIT_GPU_ASM_PTX_H
#define GENERATOR_EMIT_GPU_ASM_PTX_H

#include "base/error.h"
#include "generator/kernel/kernel.h"

#include <stdbool.h>
#include <stddef.h>

/* Checks the asm{}'s text. STATUS_RECIPE, at the asm{}, with the statement and the reason. */
enum status gpu_asm_ptx_check(const struct behaviour *item, struct error *error);

/* Parses "{r1}" or "{r1:64}" at `at`: returns its length, or 0 if it is neither. */
size_t gpu_asm_ptx_register(const char *at, unsigned long *number, bool *wide);

#endif
