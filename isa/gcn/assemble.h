/* A whole program's text to an object: kernels, their descriptors and their metadata, as ROCm has them. The
 * object is for gcn_link: no runtime loads it as it is. */
#ifndef ISA_GCN_ASSEMBLE_H
#define ISA_GCN_ASSEMBLE_H

#include "base/buffer.h"
#include "base/error.h"

/* Appends the relocatable object of a text with .amdgcn_target "amdgcn-amd-amdhsa--<gfx>", .amdhsa_kernel and
 * .amdgpu_metadata. gfx is the processor by LLVM's name ("gfx906"), name stands for the text in errors.
 * LLVM's own empty metadata is left out, so that only the text's notes are there. On gfx90a, gfx94x and from
 * GFX10 on, which fetch ahead, LLVM fills up .text behind the last function. For GFX6 LLVM assembles it as
 * for all others, but AMD's ROCm has no runtime for GFX6. STATUS_FAILED with name and line for what LLVM does
 * not accept, STATUS_USAGE for a processor that is none, STATUS_UNAVAILABLE for one that this LLVM lacks.
 * LLVM itself writes to standard error where metadata is no YAML, and ends the process at a .size that is no
 * number: not for texts that users give. */
enum status gcn_assemble_object(const char *gfx, const char *text, const char *name, struct buffer *object,
                                struct error *error);

#endif
