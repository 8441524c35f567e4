/* A recipe's own statements for NVIDIA's GPUs: each is an operation on registers that are the text's own or
 * that nobody can write, so that nothing else of the program and no memory changes. */
#ifndef GENERATOR_EMIT_GPU_ASM_PTX_H
#define GENERATOR_EMIT_GPU_ASM_PTX_H

#include "base/error.h"
#include "generator/kernel/kernel.h"

#include <stdbool.h>
#include <stddef.h>

/* Looks at the asm{}'s text. STATUS_RECIPE, at the asm{}, with the statement and the reason. */
enum status gpu_asm_ptx_check(const struct behaviour *item, struct error *error);

/* "{r1}" or "{r1:64}" at `at`: its length, and which register it is. 0: it is no such thing. */
size_t gpu_asm_ptx_register(const char *at, unsigned long *number, bool *wide);

#endif
