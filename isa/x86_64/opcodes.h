/* The x86-64 instructions that a recipe's own text may hold: those of which it is known what they read and
 * write beside their operands, and which processors have them. */
#ifndef ISA_X86_64_OPCODES_H
#define ISA_X86_64_OPCODES_H

#include <stdbool.h>
#include <stddef.h>

enum opcode_trait {
    OPCODE_SCALAR = 1,  /* EVEX: as long as it is, it needs no avx512vl */
    OPCODE_ADDRESS = 2, /* its memory operand is an address alone */
    OPCODE_BITS = 4,    /* a register beside memory tells which bit of all memory */
    OPCODE_LOADS = 8,   /* the row is for the form with memory */
    OPCODE_XOP = 16,
    OPCODE_WHOLE = 32 /* not with {1to8}: LLVM 19 encodes a displacement of one byte that means another */
};

/* How the bytes begin. */
enum opcode_coding { CODING_PLAIN, CODING_VEX, CODING_XOP, CODING_EVEX };

struct opcode_row {
    const char *operands;  /* how many it may have, a digit each */
    const char *registers; /* used beside them, apart by blanks; or NULL */
    const char *feature;   /* which a processor needs for it; NULL: all have it */
    const char *wide;      /* in VEX with 256 bits, in place of it; NULL: the same */
    const char *evex;      /* in EVEX; NULL: EVEX has none such */
    unsigned traits;
    const char *names; /* as LLVM's disassembler writes them in Intel's syntax, apart by blanks */
};

/* The row of the instruction with so many operands, of which one is in memory or none, or NULL. */
const struct opcode_row *opcode_find(const char *name, unsigned operands, bool memory);

/* True when some row has the name, whatever its operands. */
bool opcode_known(const char *name);

/* The n-th row, for those who look at all of them; NULL behind the last. */
const struct opcode_row *opcode_row(size_t n);

/* Why a text may not have one of that name that no row has; NULL: there is no more to say of it. */
const char *opcode_refusal(const char *name);

#endif
