/* The operands of a disassembled instruction, and what a program's registers hold before its loop. */
#ifndef ISA_OPERANDS_H
#define ISA_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

struct isa;

enum { OPERANDS_MOST = 6, REGISTER_WORDS = 72 };

/* In the order of the text. A register has its index in the ISA's table, anything else -1. */
struct operands {
    int registers[OPERANDS_MOST];
    unsigned bits[OPERANDS_MOST]; /* the width at which it is named; 0: all of it */
    uint64_t numbers[OPERANDS_MOST];
    int count;
};

/* Operands are divided by commas and blanks; "v3.2d" is the register v3. */
struct operands operands_read(const struct isa *isa, const char *text);

/* True if the instruction's name is that word. */
bool operands_of(const char *text, const char *name);

/* The content of each register, by its index in the ISA's table. */
struct register_words {
    const struct isa *isa;
    uint64_t words[REGISTER_WORDS];
    unsigned lanes[REGISTER_WORDS]; /* numbers of 8 bytes that hold the word; 0: unknown */
};

#endif
