/* Texts of instructions: the decoder's own, or LLVM's. */
#ifndef ISA_GCN_TEXTS_H
#define ISA_GCN_TEXTS_H

#include "isa/gcn/target.h"
#include "isa/gcn/walk.h"

#include <stddef.h>

/* The decoder's text of the one instruction that the bytes are; "" where it knows none. */
void gcn_decoded_text(const struct gcn_target *target, const unsigned char *bytes, size_t length,
                      char text[GCN_TEXT_BYTES]);

/* Texts of instructions of unknown origin, texts[i] of that at offsets[i]: LLVM's, read in a process of its
 * own, or else the decoder's, or "". STATUS_FAILED where no process can be had. */
enum status gcn_texts(struct gcn_walker *walker, const struct gcn_target *target, const unsigned char *file,
                      size_t size, const size_t *offsets, size_t count, char (*texts)[GCN_TEXT_BYTES],
                      struct error *error);

#endif
