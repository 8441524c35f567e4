/* From a relocatable object to what ROCm's loader takes: a linked code object, laid out as ld.lld -shared
 * lays it out, so that nobody needs a linker. Sources: LLVM's "User Guide for AMDGPU Backend" (code object,
 * relocations), the System V ABI (dynamic section, .hash), LLVM's lld (order and addresses, .gnu.hash). */
#ifndef ISA_GCN_LINK_H
#define ISA_GCN_LINK_H

#include "base/buffer.h"
#include "base/error.h"

/* Appends the code object (ET_DYN) of one object with one kernel or several. gfx is the processor that the
 * object must be for ("gfx906"). The same object gives the same bytes: lld's,
 * but for a .comment, debugging information and names that are used by it alone, which are left out.
 * STATUS_USAGE for a gfx that is none. STATUS_FAILED for an object that is damaged, is for another processor
 * or another system than amdhsa, has no kernel or other kernels than its metadata tells, has data that can be
 * written, names what is defined nowhere, or needs to know where it will be loaded. */
enum status gcn_link(const struct buffer *object, const char *gfx, struct buffer *code_object,
                     struct error *error);

#endif
