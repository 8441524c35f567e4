/* What must be known of an ISA to let a user's own instructions stand in a program: the names of its
 * registers, what instructions do beside their operands, which may not stand there, and what a processor
 * needs for them. LLVM's C API tells none of this, and its x86 assembler takes every instruction for every
 * processor. */
#ifndef ISA_TEXT_RULES_H
#define ISA_TEXT_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A register as a text names it. Those that are parts of one register have the same kind and number. */
struct register_use {
    char kind; /* 'r' general, 'v' vector, 'k' mask */
    unsigned number;
    unsigned bits;
};

/* One row. Every row whose mnemonic fits holds. */
struct text_rule {
    const char *mnemonic;  /* as the disassembler prints it, with fnmatch's *, ? and [] */
    int operands;          /* the row is for instructions with so many; -1: any */
    const char *registers; /* used beside the operands, apart by blanks; or NULL */
    const char *refusal;   /* why it may not stand in a text; or NULL */
    const char *feature;   /* which the processor needs; or NULL */
};

/* A register that no text may have. */
struct fixed_register {
    const char *name;
    const char *use;
};

struct text_rules {
    const struct text_rule *rows;       /* ends with a mnemonic of NULL */
    const struct fixed_register *fixed; /* ends with a name of NULL */
    const char *address;                /* the register that addresses of {memory} have as their base */

    /* Reads a name without prefix. False when it is none that a text may have. */
    bool (*read_register)(const char *name, size_t length, struct register_use *use);

    /* Writes the name of as many bits; false when there is none. At least 8 bytes of room. */
    bool (*write_register)(const struct register_use *use, char *name);

    /* The least feature that the encoding itself tells, or NULL. */
    const char *(*encoding_feature)(const uint8_t *bytes, size_t size);
};

#endif
