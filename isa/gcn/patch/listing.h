/* Lists what can be patched in a binary: its functions and their instructions. */
#ifndef ISA_GCN_PATCH_LISTING_H
#define ISA_GCN_PATCH_LISTING_H

#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/walk/walk.h"

#include <stdbool.h>

struct gcn_listed {
    size_t offset, length; /* file offset and length, in bytes */
    bool reached;          /* control flow reaches it from the function's entry */
    const char *text;      /* "" if unknown */
};

/* One function with all its instructions, without data. */
struct gcn_listing {
    const struct gcn_code *code; /* all that the file has */
    const struct gcn_piece *piece;
    const struct gcn_listed *instructions;
    size_t count;
    size_t other; /* bytes of data, padding or unknown content */
};

/* Calls take for each function of the kernel (NULL: all) and the target (NULL: all) in file order.
 * STATUS_FAILED for a damaged file, STATUS_USAGE for a kernel or target that it lacks, STATUS_UNAVAILABLE if
 * LLVM lacks a processor. */
enum status gcn_list(const void *file, size_t size, const char *kernel, const char *target,
                     void (*take)(void *context, const struct gcn_listing *listing), void *context,
                     struct error *error);

#endif
