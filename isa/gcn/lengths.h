/* Where the instructions of a piece of machine code begin, by a process of its own: from GFX8 on LLVM's
 * disassembler tells, and there are words that it, or its printer, falls over. Who made the code chose them,
 * so that ends no more than the process, and the word counts as one that is not known. */
#ifndef ISA_GCN_LENGTHS_H
#define ISA_GCN_LENGTHS_H

#include "base/error.h"
#include "isa/gcn/walk.h"

#include <stddef.h>

/* Walks the bytes from the first one on. lengths[i] becomes the length in bytes of the instruction that
 * begins at bytes + 4 * i, 0 where none is known: the walk goes on with the next word then. What no walk
 * comes to is 0, too. lengths: [size / 4]. STATUS_FAILED where no process can be had. */
enum status gcn_lengths(struct gcn_walker *walker, const unsigned char *bytes, size_t size,
                        unsigned char *lengths, struct error *error);

#endif
