/* A recipe's own instructions for AMD's GPUs: each is one instruction and no directive, which could read
 * files or end LLVM, and writes nothing that the loop around it needs. */
#ifndef GENERATOR_EMIT_GPU_ASM_GCN_H
#define GENERATOR_EMIT_GPU_ASM_GCN_H

#include "base/error.h"
#include "generator/kernel/kernel.h"

/* Looks at the asm{}'s text, instructions apart by ";" and line ends, for the processor of LLVM's name
 * ("gfx906"). They may write v1 to v3, v5 to v7, s27, vcc and scc: templates/gcn keeps nothing there from one
 * slot to the next. STATUS_RECIPE, at the asm{}, with the instruction and the reason. */
enum status gpu_asm_gcn_check(const char *arch, const struct behaviour *item, struct error *error);

#endif
