/* What a patch changed: the replaced instructions of a binary. */
#ifndef ISA_GCN_PATCH_CHANGES_H
#define ISA_GCN_PATCH_CHANGES_H

#include "isa/gcn/binary/binary_code.h"
#include "isa/gcn/field.h"
#include "isa/gcn/target.h"
#include "isa/gcn/walk/walk.h"

#include <stdbool.h>
#include <stddef.h>

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
    unsigned written; /* registers that the placeholder writes and the read does not */
};

/* All zeros is empty. Free it with gcn_patch_free (patcher.h). */
struct gcn_patch {
    const struct gcn_target *target;
    struct gcn_bits bits; /* the bits read; count is 0 unless fields were requested */
    struct gcn_change *changes;
    size_t count;
    size_t bytes_changed;
    struct gcn_unread *unread; /* beside the code that was searched */
    size_t unread_count;
    size_t left_out;    /* matches that control flow does not reach, which were not requested */
    bool disassembled;  /* LLVM has also disassembled the new words: from GFX8 on */
    const char *source; /* a section that a runtime may recompile; NULL: none */
};

#endif
