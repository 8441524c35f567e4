/* Rows and sections of the templates as the disassembler prints them, so that a program's instructions can be
 * held against them: every word and number out of braces is the row's, and every {name} stands for one
 * register, of the row's width, or for one number. Each row is assembled with sample registers and numbers
 * and disassembled, so that no instruction's other names (mov for movz, ldur for ldr) are known here. */
#ifndef ISA_PRINTED_H
#define ISA_PRINTED_H

#include "base/arena.h"
#include "base/error.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PRINTED_NAMES = 48 };

/* What stands in a program for the names of a row, by printed_name. */
struct printed_match {
    size_t count;                 /* instructions of the program that the row has */
    int registers[PRINTED_NAMES]; /* index in the ISA's table; -1: the row does not have the name */
    int64_t numbers[PRINTED_NAMES];
    bool has_number[PRINTED_NAMES];
};

struct printed_row;

/* Rows to hold programs against. All zeros but the first two is none yet. */
struct printed {
    const struct template *templates;
    bool near; /* branches reach what they lead to: none is an opposite branch over a jump */
    struct printed_row *rows;
    size_t count;
    const char *names[PRINTED_NAMES]; /* the {names} of all rows */
    size_t name_count;
    struct arena arena; /* owns all of it */
};

/* One instruction of a program. */
struct printed_instruction {
    uint64_t offset;  /* in .text */
    const char *text; /* as the disassembler prints it, with its prefix */
};

/* Adds a row, which is an op's form (its text has one instruction per "; ") or lines of a section; vectors:
 * what it computes with is in vector registers. Returns its number. Text that is NULL is a row that nothing
 * matches. */
size_t printed_add(struct printed *printed, const char *text, unsigned width, bool vectors);

/* Assembles and disassembles all rows. STATUS_FAILED if some row cannot be. */
enum status printed_make(struct printed *printed, struct error *error);

/* True if the instructions from the first on are the row's. */
bool printed_is(const struct printed *printed, size_t row, const struct printed_instruction *instructions,
                size_t count, struct printed_match *match);

/* The row's text as the templates have it, for messages; "" for none. */
const char *printed_text(const struct printed *printed, size_t row);

/* The number of a {name}; PRINTED_NAMES if no row has it. */
size_t printed_name(const struct printed *printed, const char *name);

/* True if the instruction names the register, at any width, other than by storing it away; for what stands
 * before a loop: it gives the register its value. */
bool printed_sets(const struct isa *isa, const char *text, int index);

/* True for the same instruction on the same registers; with numbers, on the same numbers too. */
bool printed_same(const struct isa *isa, const char *a, const char *b, bool numbers);

void printed_free(struct printed *printed);

#endif
