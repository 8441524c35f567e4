/* Walks machine code instruction by instruction, by length, so that literals are never mistaken for
 * instructions; converts between text and instructions through LLVM MC. */
#ifndef ISA_GCN_WALK_WALK_H
#define ISA_GCN_WALK_WALK_H

#include "base/error.h"
#include "isa/gcn/target.h"

#include <stdbool.h>
#include <stddef.h>

enum { GCN_INSTRUCTION_BYTES = 20, GCN_TEXT_BYTES = 200 };

/* Initialises LLVM's assembler and disassembler for AMD GPUs, if present; may be called repeatedly. */
void gcn_llvm_prepare(void);

struct gcn_walker;

/* A reader of the target's instructions. NULL, with STATUS_UNAVAILABLE in error, if LLVM lacks the target. */
struct gcn_walker *gcn_walker_open(const struct gcn_target *target, struct error *error);
void gcn_walker_close(struct gcn_walker *walker);

/* True if it uses LLVM's disassembler, which crashes the process on some words: read untrusted code with
 * gcn_lengths (flow.h). */
bool gcn_walker_may_crash(const struct gcn_walker *walker);

/* The length in bytes of the instruction at `at`, 0 if unknown. text receives its text; "" on GFX6 and GFX7,
 * which LLVM does not disassemble, and for instructions with an SDWA word. */
size_t gcn_walker_step(struct gcn_walker *walker, const unsigned char *at, size_t left,
                       char text[GCN_TEXT_BYTES]);

/* Assembles one instruction's text. STATUS_USAGE if it is not an instruction, STATUS_UNAVAILABLE if LLVM
 * lacks the target. */
enum status gcn_assemble(const struct gcn_target *target, const char *text,
                         unsigned char bytes[GCN_INSTRUCTION_BYTES], size_t *length, struct error *error);

#endif
