/* What must be known of an ISA to let a user's own instructions stand in a program: the names of its
 * registers, and of each instruction what it reads and writes, where its memory is and how much of it there
 * is, and what a processor needs for it. What is not known so is refused: LLVM's C API tells none of this but
 * the bytes of a memory operand, and its x86 assembler takes every instruction for every processor. */
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

/* A register that no text may have. */
struct fixed_register {
    const char *name;
    const char *use;
};

enum { TEXT_NAME_BYTES = 24, TEXT_NAMES = 16, TEXT_FEATURES = 4, TEXT_WHY_BYTES = 256 };

enum text_memory {
    TEXT_NO_MEMORY,
    TEXT_ADDRESS_ALONE, /* as lea has it: nothing is read or written there */
    TEXT_ACCESS
};

/* One instruction. */
struct text_instruction {
    char refusal[TEXT_WHY_BYTES];            /* why none may stand in a text; "" where it may */
    char names[TEXT_NAMES][TEXT_NAME_BYTES]; /* of all registers that it uses but the base */
    unsigned name_count;
    const char *features[TEXT_FEATURES]; /* which the processor needs */
    unsigned feature_count;
    enum text_memory memory;
    bool based;                   /* the address is the base of {memory} and a constant, and nothing more */
    char address[TEXT_WHY_BYTES]; /* as it is written, for messages */
    int64_t displacement;         /* from the base, where based */
    unsigned align;               /* what the address must be a multiple of, where an access; 0: of nothing */
    unsigned bytes;               /* from there on, where an access */
};

struct text_rules {
    const struct fixed_register *fixed; /* ends with a name of NULL */
    const char *address;                /* the register that addresses of {memory} have as their base */

    /* Reads a name without prefix. False when it is none that a text may have. */
    bool (*read_register)(const char *name, size_t length, struct register_use *use);

    /* Writes the name of as many bits; false when there is none. At least 8 bytes of room. */
    bool (*write_register)(const struct register_use *use, char *name);

    /* True for a name that is a prefix of an instruction. */
    bool (*is_prefix)(const char *name, size_t length);

    /* What the instruction is: text as mc_disassemble_sized gives it, and its bytes. */
    void (*understand)(const char *text, const uint8_t *bytes, size_t size,
                       struct text_instruction *instruction);
};

#endif
