/* Checks a recipe's own instructions for AMD GPUs: each must be one instruction, not a directive (which could
 * read files or terminate LLVM), and must not write anything that the surrounding loop needs. */
#ifndef GENERATOR_EMIT_GPU_ASM_GCN_H
#define GENERATOR_EMIT_GPU_ASM_GCN_H

#include "base/error.h"
#include "generator/kernel/kernel.h"

/* Checks the asm{}'s text, with instructions separated by ";" and line ends; arch is LLVM's name of the
 * processor ("gfx906"). They may write v1 to v3, v5 to v7, s27, vcc and scc: templates/gcn keeps no values
 * there between slots. STATUS_RECIPE, at the asm{}, with the instruction and the reason. */
enum status gpu_asm_gcn_check(const char *arch, const struct behaviour *item, struct error *error);

#endif
