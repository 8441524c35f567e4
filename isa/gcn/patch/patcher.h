/* Replaces instructions in a GCN binary: the placeholder is found instruction by instruction, only the chosen
 * words change, and the result is read back and compared with LLVM MC (DESIGN.md section 9). */
#ifndef ISA_GCN_PATCH_PATCHER_H
#define ISA_GCN_PATCH_PATCHER_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/gcn/patch/changes.h"
#include "isa/gcn/target.h"
#include "isa/gcn/walk/walk.h"

#include <stdbool.h>
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

/* ---- proof ---- */

/* Verifies a patch: reads the patched file again, as untrusted input. */

/* before and after have the same size. STATUS_FAILED if a byte outside the changes differs, the code has
 * moved, a change is not a whole instruction of its length, or its text, or LLVM's disassembly of it (from
 * GFX8 on), assembles to other bytes. Fills in bytes_changed, and the changes' text_after from LLVM if
 * available. */
enum status gcn_prove(const void *before, const void *after, size_t size, struct gcn_walker *walker,
                      struct gcn_patch *patch, struct error *error);

/* ---- destinations ---- */

/* Which scalar registers an instruction writes: a read replaces a placeholder and writes the placeholder's
 * registers. */

struct gcn_destination {
    unsigned number; /* of the first, as in operands */
    unsigned count;  /* consecutive registers, at least 1 */
};

/* For the single instruction in bytes. False if it writes no scalar register, or also a vector register.
 * walker: of the target. */
bool gcn_destination_of(const struct gcn_target *target, struct gcn_walker *walker,
                        const unsigned char *bytes, size_t length, struct gcn_destination *to);

#endif
