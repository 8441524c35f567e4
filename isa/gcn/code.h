/* Where a binary's machine code lies: a walk through ROCm's code objects, bundles of them, and Catalyst's
 * files within files, for OpenCL 1.2 and 2.0. Input is not trusted. Sources: LLVM's "User Guide for AMDGPU
 * Backend", CLRX's documentation (BinaryFormats, AmdAbi, AmdCl2Abi). */
#ifndef ISA_GCN_CODE_H
#define ISA_GCN_CODE_H

#include "base/error.h"
#include "isa/gcn/target.h"

#include <stdbool.h>
#include <stddef.h>

/* A run of instructions: a function without its header (amd_kernel_code_t), or a section's whole code where
 * no function is marked. Its first byte is the entry. */
struct gcn_piece {
    const char *kernel; /* not terminated; points into the file */
    int kernel_length;  /* 0 where it has no name */
    size_t offset, size;
    const struct gcn_target *target;
};

/* A part of the file. */
struct gcn_span {
    size_t offset, size;
};

/* All zeros is empty; pieces in the order of the file, several where a function has several names. Free it
 * with gcn_code_free. */
struct gcn_code {
    struct gcn_piece *pieces;
    size_t count;
    struct gcn_span *data; /* what symbols call data, by offset */
    size_t data_count;
    const char *source; /* ".llvmir": a section from which a runtime may compile anew; NULL: none */
};

/* Reads the file, which must outlive the pieces. STATUS_FAILED for what is damaged, is no AMD binary, has no
 * code, or does not tell its processor. */
enum status gcn_code_find(const void *file, size_t size, struct gcn_code *code, struct error *error);

/* True where a symbol says that the byte there is data. */
bool gcn_code_is_data(const struct gcn_code *code, size_t offset);
void gcn_code_free(struct gcn_code *code);

#endif
