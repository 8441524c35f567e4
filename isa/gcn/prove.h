/* The proof of a patch: the patched file is read anew, as if from a stranger. */
#ifndef ISA_GCN_PROVE_H
#define ISA_GCN_PROVE_H

#include "isa/gcn/patch.h"

/* The file as it was and as it is are of one size. STATUS_FAILED when a byte outside the changes differs,
 * when the code no longer lies where it lay, when a change is no whole instruction of its length, or when its
 * text, or that which LLVM reads in its bytes (from GFX8 on), assembles to other bytes. Fills in
 * bytes_changed, and the changes' text_after with LLVM's own where it has one. */
enum status gcn_prove(const void *before, const void *after, size_t size, struct gcn_walker *walker,
                      struct gcn_patch *patch, struct error *error);

#endif
