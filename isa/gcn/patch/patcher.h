/* Replaces instructions in a GCN binary: the placeholder is found instruction by instruction, only the chosen
 * words change, and the result is read back and compared with LLVM MC (DESIGN.md section 9). */
#ifndef ISA_GCN_PATCH_PATCHER_H
#define ISA_GCN_PATCH_PATCHER_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/gcn/field.h"
#include "isa/gcn/target.h"
#include "isa/gcn/walk/walk.h"

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

/* One replaced instruction. */
struct gcn_change {
    const char *kernel; /* not terminated; points into the input */
    int kernel_length;
    size_t offset; /* in the file */
    size_t size;   /* in bytes: the placeholder's */
    size_t length; /* of the new instruction; s_nop 0 fills the rest */
    unsigned char before[GCN_INSTRUCTION_BYTES], after[GCN_INSTRUCTION_BYTES];
    char text_before[GCN_TEXT_BYTES]; /* "" if unknown: a word on GFX6 and GFX7 */
    char text_after[GCN_TEXT_BYTES];
    bool moved;       /* old and new instruction write different registers */
    unsigned written; /* other registers that the placeholder writes and the read does not */
};

/* All zeros is empty. Free it with gcn_patch_free. */
struct gcn_patch {
    const struct gcn_target *target;
    struct gcn_bits bits; /* the bits read; count is 0 unless fields were requested */
    struct gcn_change *changes;
    size_t count;
    size_t bytes_changed;
    size_t left_out;    /* unreached matches that were not requested */
    bool disassembled;  /* LLVM also read the new words: from GFX8 on */
    const char *source; /* a section that a runtime may recompile; NULL: none */
};

/* Appends the patched file to result. STATUS_FAILED for a damaged file, a missing placeholder, or a result
 * that fails verification; STATUS_USAGE for texts and fields that the processor lacks, and for several
 * placeholders where one is required (the message lists their offsets); STATUS_UNAVAILABLE if LLVM lacks the
 * processor. */
enum status gcn_patch(const void *file, size_t size, const struct gcn_patch_request *request,
                      struct buffer *result, struct gcn_patch *patch, struct error *error);
void gcn_patch_free(struct gcn_patch *patch);

#endif
