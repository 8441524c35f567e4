/* The note that lists a ROCm code object's kernels (NT_AMDGPU_METADATA, in MessagePack). Input is untrusted.
 * Sources: LLVM's "User Guide for AMDGPU Backend" (code object metadata), the MessagePack specification. */
#ifndef ISA_GCN_LINK_METADATA_H
#define ISA_GCN_LINK_METADATA_H

#include "base/error.h"

#include <stddef.h>

/* Called for the .symbol of each kernel: its descriptor's name, not terminated, length 0 if there is none.
 * Any status other than STATUS_OK ends the walk. */
typedef enum status gcn_metadata_visitor(const char *symbol, int length, void *context, struct error *error);

/* Visits the kernels in a note's content. STATUS_FAILED if it is damaged. visit may be NULL. */
enum status gcn_metadata_kernels(const void *content, size_t size, gcn_metadata_visitor *visit, void *context,
                                 size_t *count, struct error *error);

/* Removes, in place, the section's metadata notes without kernels: LLVM adds such a note after the program's
 * own when it assembles a module. Visits the kernels of the remaining note. STATUS_FAILED if several notes
 * have kernels, or one is damaged. *count is 0 if none has kernels. */
enum status gcn_metadata_keep(void *notes, size_t *size, gcn_metadata_visitor *visit, void *context,
                              size_t *count, struct error *error);

#endif
