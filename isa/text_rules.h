/* Rules for users' own instructions: register names and, for each instruction, what it reads and writes, the
 * address and size of its memory operand, and the required processor features. Unknown instructions are
 * refused: LLVM's C API provides none of this except the size of a memory operand, and its x86 assembler
 * accepts every instruction for every processor. */
#ifndef ISA_TEXT_RULES_H
#define ISA_TEXT_RULES_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A register named in a text. Parts of one register have the same kind and number. */
struct register_use {
    char kind; /* 'r' general, 'v' vector, 'k' mask, 'w' vector of a length that the processor chooses, which
                  is no part of a 'v' */
    unsigned number;
    unsigned bits;
};

/* A register that no text may use. */
struct fixed_register {
    const char *name;
    const char *use;
};

enum { TEXT_NAME_BYTES = 24, TEXT_NAMES = 16, TEXT_FEATURES = 4, TEXT_WHY_BYTES = 256 };

enum text_memory {
    TEXT_NO_MEMORY,
    TEXT_ADDRESS_ALONE, /* as in lea: no access */
    TEXT_ACCESS
};

/* One instruction. */
struct text_instruction {
    char refusal[TEXT_WHY_BYTES];            /* why texts may not contain it; "" if they may */
    char names[TEXT_NAMES][TEXT_NAME_BYTES]; /* all registers that it uses except the base */
    unsigned name_count;
    const char *features[TEXT_FEATURES]; /* required processor features */
    unsigned feature_count;
    enum text_memory memory;
    bool based;                   /* the address is the base of {memory} plus a constant */
    char address[TEXT_WHY_BYTES]; /* as written, for messages */
    int64_t displacement;         /* from the base, if based */
    bool bare;                    /* its address takes no displacement */
    unsigned align;               /* required alignment of an access; 0: none */
    unsigned bytes;               /* size of an access */
};

struct text_rules {
    const struct fixed_register *fixed; /* ends with a name of NULL */
    const char *marks;                  /* characters allowed besides letters, digits and blanks */
    const char *address;                /* the base register of {memory} addresses */
    uint64_t farthest;                  /* the largest displacement of {memory} from that register, in bytes;
                                           texts are checked with it */
    bool own_address;                   /* programs load that register with the first {memory}'s address;
                                           false: it holds the data's address */
    const char *example;                /* how a recipe names vector registers: { "xmm14", "xmm15" } */

    /* Reads a name without prefix. False if texts may not use it. */
    bool (*read_register)(const char *name, size_t length, struct register_use *use);

    /* Writes the register's name at its width, into at least 8 bytes; false if there is none. */
    bool (*write_register)(const struct register_use *use, char *name);

    /* Widens the register to what a zeroed one is written as; returns the section of the templates that
     * zeroes {given}, all of its bits that a text may use. */
    const char *(*clear)(struct register_use *use);

    /* True for an instruction's line whose address takes no displacement; NULL: there are none. */
    bool (*is_bare)(const char *line);

    /* True for an instruction prefix; NULL: there are none. */
    bool (*is_prefix)(const char *name, size_t length);

    /* Analyses an instruction from mc_disassemble_sized's text and its bytes. */
    void (*understand)(const char *text, const uint8_t *bytes, size_t size,
                       struct text_instruction *instruction);
};

/* ---- for the ISAs' rules ---- */

/* True if the word, which ends with '\0', is in a list separated by blanks. */
static inline bool text_has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; length > 0 && (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* The length of the word of letters, digits and _ at the start of the text. */
static inline size_t text_word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/* Sets the reason why texts may not contain the instruction, unless it has one. */
static inline void text_refuse(struct text_instruction *instruction, const char *why)
{
    if (instruction->refusal[0] == '\0')
        snprintf(instruction->refusal, sizeof instruction->refusal, "%s", why);
}

/* Adds a register that the instruction uses; refuses it if it uses too many. */
static inline void text_add_name(struct text_instruction *instruction, const char *name, size_t length)
{
    if (instruction->name_count == TEXT_NAMES || length >= TEXT_NAME_BYTES)
        text_refuse(instruction, "it uses more registers than a text may");
    else
        snprintf(instruction->names[instruction->name_count++], TEXT_NAME_BYTES, "%.*s", (int)length, name);
}

#endif
