/* Links a relocatable object into a code object for ROCm's loader, with the layout of ld.lld -shared, so that
 * no linker is needed. Sources: LLVM's "User Guide for AMDGPU Backend" (code object, relocations), the System
 * V ABI (dynamic section, .hash), LLVM's lld (order and addresses, .gnu.hash). */
#ifndef ISA_GCN_LINK_LINK_H
#define ISA_GCN_LINK_LINK_H

#include "base/buffer.h"
#include "base/error.h"

/* Appends the code object (ET_DYN) of one object with one or more kernels. gfx is the processor that the
 * object must be for ("gfx906"). The output is deterministic and equal to lld's, except that .comment,
 * debugging information and names used only by it are omitted. STATUS_USAGE for an unknown gfx. STATUS_FAILED
 * if the object is damaged, is for another processor or for a system other than amdhsa, has no kernel or
 * kernels other than those in its metadata, has writable data, refers to undefined names, or depends on its
 * load address. */
enum status gcn_link(const struct buffer *object, const char *gfx, struct buffer *code_object,
                     struct error *error);

#endif
