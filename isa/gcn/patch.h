/* Replacing instructions in a GCN binary: the placeholder is found instruction by instruction, only the
 * chosen words change, and the result is read again and compared with what LLVM MC says (DESIGN.md section
 * 9). */
#ifndef ISA_GCN_PATCH_H
#define ISA_GCN_PATCH_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/gcn/field.h"
#include "isa/gcn/target.h"
#include "isa/gcn/walk.h"

#include <stddef.h>
#include <stdint.h>

enum { GCN_ONLY = 0, GCN_ALL = -1 };

struct gcn_patch_request {
    const char *replace; /* words of eight hexadecimal digits or an instruction's text; NULL: s_movk_i32 sN,
                            0x7a5a */
    const char *with;    /* an instruction's text; NULL where field is there */
    const char *field;   /* names with commas, for gcn_field_parse; NULL where with is there */
    const char *kernel;  /* only in this one; NULL: in all code */
    const char *target;  /* only in code for this processor; NULL: there must be one */
    int occurrence;      /* 1 and up, in the order of the file; GCN_ONLY: there must be one; GCN_ALL */
    bool unreached;      /* also what control flow does not reach from the entry */
};

/* One instruction that was replaced. */
struct gcn_change {
    const char *kernel; /* not terminated; points into the input */
    int kernel_length;
    size_t offset; /* in the file */
    size_t size;   /* in bytes: the placeholder's */
    size_t length; /* of the new instruction; s_nop 0 fills the rest */
    unsigned char before[GCN_INSTRUCTION_BYTES], after[GCN_INSTRUCTION_BYTES];
    char text_before[GCN_TEXT_BYTES]; /* "" where nothing tells it: a word on GFX6 and GFX7 */
    char text_after[GCN_TEXT_BYTES];
    bool moved;       /* the two write different registers */
    unsigned written; /* registers that the placeholder writes and the read does not, besides its own */
};

/* All zeros is empty. Free it with gcn_patch_free. */
struct gcn_patch {
    const struct gcn_target *target;
    struct gcn_bits bits; /* what is read; count is 0 unless fields were asked for */
    struct gcn_change *changes;
    size_t count;
    size_t bytes_changed;
    size_t left_out;    /* matches that control flow does not reach, and that were not asked for */
    bool disassembled;  /* LLVM read the new words too: from GFX8 on */
    const char *source; /* a section from which a runtime may compile anew; NULL: none */
};

/* Appends the patched file to result. STATUS_FAILED for a damaged file, a placeholder that is not there, or a
 * result that does not prove right; STATUS_USAGE for texts and fields that the processor lacks, and for
 * several placeholders where one is asked for: the message has their offsets; STATUS_UNAVAILABLE where LLVM
 * lacks the processor. */
enum status gcn_patch(const void *file, size_t size, const struct gcn_patch_request *request,
                      struct buffer *result, struct gcn_patch *patch, struct error *error);
void gcn_patch_free(struct gcn_patch *patch);

#endif
