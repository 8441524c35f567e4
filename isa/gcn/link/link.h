/* Makes a code object from text: assembles it, and links the relocatable object for ROCm's loader with the
 * layout of ld.lld -shared, so that no linker is needed. Sources: LLVM's "User Guide for AMDGPU Backend"
 * (code object, relocations), the System V ABI (dynamic section, .hash), LLVM's lld (order and addresses,
 * .gnu.hash). */
#ifndef ISA_GCN_LINK_LINK_H
#define ISA_GCN_LINK_LINK_H

#include "base/buffer.h"
#include "base/error.h"

/* Assembles a whole program's text into an object: kernels, their descriptors and their metadata, in ROCm's
 * format. The object is input for gcn_link; no runtime loads it directly. */

/* Appends the relocatable object of a text with .amdgcn_target "amdgcn-amd-amdhsa--<gfx>", .amdhsa_kernel and
 * .amdgpu_metadata. gfx is LLVM's name of the processor ("gfx906"); name identifies the text in errors. Omits
 * LLVM's own empty metadata, so only the text's notes remain. On gfx90a, gfx94x and from GFX10 on, which
 * prefetch, LLVM pads .text after the last function. LLVM assembles GFX6 like all others, but AMD's ROCm has
 * no runtime for it. STATUS_FAILED with name and line for text that LLVM rejects, STATUS_USAGE for an unknown
 * processor, STATUS_UNAVAILABLE for one that this LLVM lacks. Not for users' texts: LLVM writes to standard
 * error if metadata is not YAML, and ends the process if a .size is not a number. */
enum status gcn_assemble_object(const char *gfx, const char *text, const char *name, struct buffer *object,
                                struct error *error);

/* Appends the code object (ET_DYN) of one object with one or more kernels. gfx is the processor that the
 * object must be for ("gfx906"). The output is deterministic and equal to lld's, except that .comment,
 * debugging information and names used only by it are omitted. STATUS_USAGE for an unknown gfx. STATUS_FAILED
 * if the object is damaged, is for another processor or for a system other than amdhsa, has no kernel or
 * kernels other than those in its metadata, has writable data, refers to undefined names, or depends on its
 * load address. */
enum status gcn_link(const struct buffer *object, const char *gfx, struct buffer *code_object,
                     struct error *error);

#endif
