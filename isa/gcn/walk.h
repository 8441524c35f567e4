/* Machine code instruction by instruction: how long each is, so that a literal is never taken for one; and
 * text to and from instructions through LLVM MC. */
#ifndef ISA_GCN_WALK_H
#define ISA_GCN_WALK_H

#include "base/error.h"
#include "isa/gcn/target.h"

#include <stdbool.h>
#include <stddef.h>

enum { GCN_INSTRUCTION_BYTES = 20, GCN_TEXT_BYTES = 160 };

/* Makes LLVM's assembler and disassembler for AMD's GPUs ready, where it has them; may be called again. */
void gcn_llvm_prepare(void);

struct gcn_walker;

/* A reader of the target's instructions. NULL, with STATUS_UNAVAILABLE in error, where LLVM lacks it. */
struct gcn_walker *gcn_walker_open(const struct gcn_target *target, struct error *error);
void gcn_walker_close(struct gcn_walker *walker);

/* True where LLVM's disassembler is asked, which some words bring down, and the process with it: code of
 * unknown origin is read by gcn_lengths (lengths.h). */
bool gcn_walker_may_fall(const struct gcn_walker *walker);

/* The length in bytes of the instruction at the place, 0 where there is none that is known. text is
 * the instruction's own, "" on GFX6 and GFX7, which LLVM does not disassemble, and for those with an SDWA
 * word. */
size_t gcn_walker_step(struct gcn_walker *walker, const unsigned char *at, size_t left,
                       char text[GCN_TEXT_BYTES]);

/* The bytes of one instruction's text. STATUS_USAGE where it is not one, STATUS_UNAVAILABLE where LLVM lacks
 * the target. */
enum status gcn_assemble(const struct gcn_target *target, const char *text,
                         unsigned char bytes[GCN_INSTRUCTION_BYTES], size_t *length, struct error *error);

#endif
