/* The x86-64 instructions allowed in a recipe's own text: those with known implicit reads and writes and
 * known processor support. */
#ifndef ISA_X86_64_OPCODES_H
#define ISA_X86_64_OPCODES_H

#include <stdbool.h>
#include <stddef.h>

enum opcode_trait {
    OPCODE_SCALAR = 1,  /* EVEX: never needs avx512vl */
    OPCODE_ADDRESS = 2, /* its memory operand is only an address */
    OPCODE_BITS = 4,    /* with memory, a register operand selects a bit anywhere in memory */
    OPCODE_LOADS = 8,   /* the row is for the form with memory */
    OPCODE_XOP = 16,
    OPCODE_WHOLE = 32 /* not with {1to8}: LLVM 19 encodes its one-byte displacement wrongly */
};

/* The encoding's prefix. */
enum opcode_coding { CODING_PLAIN, CODING_VEX, CODING_XOP, CODING_EVEX };

struct opcode_row {
    const char *operands;  /* allowed operand counts, one digit each */
    const char *registers; /* implicit registers, separated by blanks; or NULL */
    const char *feature;   /* required feature; NULL: none */
    const char *wide;      /* required feature in 256-bit VEX; NULL: the same */
    const char *evex;      /* required feature in EVEX; NULL: no EVEX form */
    unsigned traits;
    const char *names; /* in LLVM's Intel syntax, separated by blanks */
};

/* The row of the instruction with this many operands, at most one of them in memory, or NULL. */
const struct opcode_row *opcode_find(const char *name, unsigned operands, bool memory);

/* True if some row has the name, with any operands. */
bool opcode_known(const char *name);

/* The n-th row, for iteration; NULL after the last. */
const struct opcode_row *opcode_row(size_t n);

/* Why an instruction without a row is not allowed; NULL: no specific reason. */
const char *opcode_refusal(const char *name);

#endif
