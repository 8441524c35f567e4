/* Replaces instructions in a GCN binary: the placeholder is found instruction by instruction, only the chosen
 * words change, and the result is read back and compared with LLVM MC (DESIGN.md section 9). */
#ifndef ISA_GCN_PATCH_PATCHER_H
#define ISA_GCN_PATCH_PATCHER_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/gcn/patch/changes.h"

#include <stddef.h>
#include <stdint.h>

enum { GCN_ONLY = 0, GCN_ALL = -1 };

struct gcn_patch_request {
    const char *replace; /* words of eight hexadecimal digits or an instruction's text; NULL: s_movk_i32 sN,
                            0x7a5a */
    const char *with;    /* an instruction's text; NULL if field is set */
    const char *field;   /* comma-separated names for gcn_field_parse; NULL if with is set */
    const char *kernel;  /* only in this kernel; NULL: in all code */
    const char *target;  /* only in code for this processor; NULL: the file must have exactly one */
    int occurrence;      /* 1 and up, in file order; GCN_ONLY: must be the only one; GCN_ALL */
    bool unreached;      /* also replace code that control flow does not reach from the entry */
};

/* Appends the patched file to result. STATUS_FAILED for a damaged file, a missing placeholder, or a result
 * that fails verification; STATUS_USAGE for texts and fields that the processor lacks, and for several
 * placeholders where one is required (the message lists their offsets); STATUS_UNAVAILABLE if LLVM lacks the
 * processor. */
enum status gcn_patch(const void *file, size_t size, const struct gcn_patch_request *request,
                      struct buffer *result, struct gcn_patch *patch, struct error *error);
void gcn_patch_free(struct gcn_patch *patch);

/* The words of the bytes as written, most significant digits first; returns text. */
const char *gcn_words(const unsigned char *bytes, size_t size, char text[GCN_TEXT_BYTES]);

#endif
