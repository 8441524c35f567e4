/* Finds where the instructions of a piece of machine code begin, in a separate process: from GFX8 on LLVM's
 * disassembler is used, which, like its printer, crashes on some words. The code is untrusted, so a crash
 * ends only that process, and the word counts as unknown. */
#ifndef ISA_GCN_WALK_LENGTHS_H
#define ISA_GCN_WALK_LENGTHS_H

#include "base/error.h"
#include "isa/gcn/walk/walk.h"

#include <stddef.h>

enum { GCN_NO_INSTRUCTION = 0xff };

/* Walks the bytes from `from` to the end or to a word already walked. lengths[i] becomes the length in bytes
 * of the instruction at bytes + 4 i, or GCN_NO_INSTRUCTION if it is unknown; the walk then continues with the
 * next word. Words not walked stay 0. lengths: [size / 4]. STATUS_FAILED if no process can be created. */
enum status gcn_lengths(struct gcn_walker *walker, const unsigned char *bytes, size_t size, size_t from,
                        unsigned char *lengths, struct error *error);

#endif
