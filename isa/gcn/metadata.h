/* The note in which a ROCm code object tells its kernels (NT_AMDGPU_METADATA, in MessagePack). Input is not
 * trusted. Sources: LLVM's "User Guide for AMDGPU Backend" (code object metadata), the MessagePack
 * specification. */
#ifndef ISA_GCN_METADATA_H
#define ISA_GCN_METADATA_H

#include "base/error.h"

#include <stddef.h>

/* Called for the .symbol of each kernel: the name of its descriptor, not terminated, length 0 where it tells
 * none. What is not STATUS_OK ends the walk. */
typedef enum status gcn_metadata_visitor(const char *symbol, int length, void *context, struct error *error);

/* The kernels of a note's content. STATUS_FAILED for what is damaged. visit may be NULL. */
enum status gcn_metadata_kernels(const void *content, size_t size, gcn_metadata_visitor *visit, void *context,
                                 size_t *count, struct error *error);

/* Leaves out, in place, what metadata without kernels the section's notes have: LLVM adds such a note behind
 * the program's own when it assembles a module. Visits the kernels of the one that stays. STATUS_FAILED where
 * several have kernels, or a note is damaged. *count is 0 where none has. */
enum status gcn_metadata_keep(void *notes, size_t *size, gcn_metadata_visitor *visit, void *context,
                              size_t *count, struct error *error);

#endif
