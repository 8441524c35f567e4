/* Locates a binary's machine code in ROCm's code objects, bundles of them, and Catalyst's nested files for
 * OpenCL 1.2 and 2.0. Input is untrusted. Sources: LLVM's "User Guide for AMDGPU Backend", CLRX's
 * documentation (BinaryFormats, AmdAbi, AmdCl2Abi). */
#ifndef ISA_GCN_BINARY_BINARY_CODE_H
#define ISA_GCN_BINARY_BINARY_CODE_H

#include "base/error.h"
#include "isa/gcn/target.h"

#include <stdbool.h>
#include <stddef.h>

/* A run of instructions: a function without its header (amd_kernel_code_t), or a section's whole code if no
 * function is marked. The entry is the first byte. */
struct gcn_piece {
    const char *kernel; /* not terminated; points into the file */
    int kernel_length;  /* 0 if it has no name */
    size_t offset, size;
    const struct gcn_target *target;
};

/* A part of the file. */
struct gcn_span {
    size_t offset, size;
};

/* GPU code in the file that was not read, because its form or processor is not supported. name points into
 * the file. */
struct gcn_unread {
    size_t offset;
    const char *what; /* "a compressed offload bundle" */
    const char *name; /* of the bundle's entry, not terminated */
    int name_length;  /* 0: it has none */
};

/* All zeros is empty; pieces in file order, several if a function has several names. Free it with
 * gcn_code_free. */
struct gcn_code {
    struct gcn_piece *pieces;
    size_t count;
    struct gcn_span *data; /* symbols that mark data, by offset */
    size_t data_count;
    struct gcn_unread *unread;
    size_t unread_count;
    const char *source; /* ".llvmir": a section that a runtime may recompile; NULL: none */
};

/* Reads the file, which must outlive the pieces. STATUS_FAILED if it is damaged, is not an AMD binary, has no
 * code, or does not name its processor. */
enum status gcn_code_find(const void *file, size_t size, struct gcn_code *code, struct error *error);

/* If there is unread code, adds a hint to the error: the searched instruction may be there. */
void gcn_code_hint_unread(const struct gcn_code *code, struct error *error);

/* True if a symbol marks the byte at offset as data. */
bool gcn_code_is_data(const struct gcn_code *code, size_t offset);
void gcn_code_free(struct gcn_code *code);

#endif
