/* Assembles a whole program's text into an object: kernels, their descriptors and their metadata, in ROCm's
 * format. The object is input for gcn_link; no runtime loads it directly. */
#ifndef ISA_GCN_LINK_ASSEMBLE_PROGRAM_H
#define ISA_GCN_LINK_ASSEMBLE_PROGRAM_H

#include "base/buffer.h"
#include "base/error.h"

/* Appends the relocatable object of a text with .amdgcn_target "amdgcn-amd-amdhsa--<gfx>", .amdhsa_kernel and
 * .amdgpu_metadata. gfx is LLVM's name of the processor ("gfx906"); name identifies the text in errors. Omits
 * LLVM's own empty metadata, so only the text's notes remain. On gfx90a, gfx94x and from GFX10 on, which
 * prefetch, LLVM pads .text after the last function. LLVM assembles GFX6 like all others, but AMD's ROCm has
 * no runtime for it. STATUS_FAILED with name and line for text that LLVM rejects, STATUS_USAGE for an unknown
 * processor, STATUS_UNAVAILABLE for one that this LLVM lacks. Not for users' texts: LLVM writes to standard
 * error if metadata is not YAML, and ends the process if a .size is not a number. */
enum status gcn_assemble_object(const char *gfx, const char *text, const char *name, struct buffer *object,
                                struct error *error);

#endif
