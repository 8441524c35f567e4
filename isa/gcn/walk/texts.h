/* Instruction texts from the decoder or from LLVM. */
#ifndef ISA_GCN_WALK_TEXTS_H
#define ISA_GCN_WALK_TEXTS_H

#include "isa/gcn/target.h"
#include "isa/gcn/walk/walk.h"

#include <stddef.h>

/* The decoder's text for the single instruction in bytes; "" if unknown. */
void gcn_decoded_text(const struct gcn_target *target, const unsigned char *bytes, size_t length,
                      char text[GCN_TEXT_BYTES]);

/* Texts of untrusted instructions, texts[i] for offsets[i]: from LLVM in a separate process, or else from the
 * decoder, or "". STATUS_FAILED if no process can be created. */
enum status gcn_texts(struct gcn_walker *walker, const struct gcn_target *target, const unsigned char *file,
                      size_t size, const size_t *offsets, size_t count, char (*texts)[GCN_TEXT_BYTES],
                      struct error *error);

#endif
