/* Verifies a patch: reads the patched file again, as untrusted input. */
#ifndef ISA_GCN_PATCH_PROVE_H
#define ISA_GCN_PATCH_PROVE_H

#include "isa/gcn/patch/changes.h"

/* before and after have the same size. STATUS_FAILED if a byte outside the changes differs, the code has
 * moved, a change is not a whole instruction of its length, or its text, or LLVM's disassembly of it (from
 * GFX8 on), assembles to other bytes. Fills in bytes_changed, and the changes' text_after from LLVM if
 * available. */
enum status gcn_prove(const void *before, const void *after, size_t size, struct gcn_walker *walker,
                      struct gcn_patch *patch, struct error *error);

#endif
