/* Where the instructions of a piece of machine code begin, by a process of its own: from GFX8 on LLVM's
 * disassembler tells, and there are words that it, or its printer, falls over. Who made the code chose them,
 * so that ends no more than the process, and the word counts as one that is not known. */
#ifndef ISA_GCN_LENGTHS_H
#define ISA_GCN_LENGTHS_H

#include "base/error.h"
#include "isa/gcn/walk.h"

#include <stddef.h>

enum { GCN_NO_INSTRUCTION = 0xff };

/* Walks the bytes on from that one, up to the end or to a place where a walk has been. lengths[i] becomes the
 * length in bytes of the instruction that begins at bytes + 4 * i, GCN_NO_INSTRUCTION where none is known:
 * the walk goes on with the next word then. What no walk has come to stays 0. lengths: [size / 4].
 * STATUS_FAILED where no process can be had. */
enum status gcn_lengths(struct gcn_walker *walker, const unsigned char *bytes, size_t size, size_t from,
                        unsigned char *lengths, struct error *error);

#endif
