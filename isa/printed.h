/* Compares a program's disassembled instructions with rows and sections of the templates. Words and numbers
 * outside braces must be equal; each {name} stands for one register, of the row's width, or for one number.
 * Each row is assembled with sample registers and numbers and disassembled too, so that this module needs no
 * list of aliases (mov for movz, ldur for ldr). */
#ifndef ISA_PRINTED_H
#define ISA_PRINTED_H

#include "base/arena.h"
#include "base/error.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PRINTED_NAMES = 48 };

/* The registers and numbers in a program that stand for a row's names, by printed_name. */
struct printed_match {
    size_t count;                 /* instructions of the program that the row covers */
    int registers[PRINTED_NAMES]; /* index in the ISA's table; -1: the row lacks the name */
    int64_t numbers[PRINTED_NAMES];
    bool has_number[PRINTED_NAMES];
};

struct printed_row;

/* Rows to compare programs with. Set the first two members and zero the rest; then add rows. */
struct printed {
    const struct template *templates;
    bool near; /* branches reach their targets: none becomes an opposite branch over a jump */
    struct printed_row *rows;
    size_t count;
    const char *names[PRINTED_NAMES]; /* the {names} of all rows */
    size_t name_count;
    struct arena arena; /* owns the texts and statements */
};

/* One instruction of a program. */
struct printed_instruction {
    uint64_t offset;  /* in .text */
    const char *text; /* as the disassembler prints it, with its prefix */
};

/* Adds a row: an op's form, whose instructions are separated by "; ", or lines of a section. vectors: its
 * operands are in vector registers. Returns its number. A row whose text is NULL matches nothing. */
size_t printed_add(struct printed *printed, const char *text, unsigned width, bool vectors);

/* Assembles and disassembles all rows. STATUS_FAILED if that fails for one. */
enum status printed_make(struct printed *printed, struct error *error);

/* True if the instructions begin with the row's. */
bool printed_is(const struct printed *printed, size_t row, const struct printed_instruction *instructions,
                size_t count, struct printed_match *match);

/* The row's text as the templates have it, for messages; "" for none. */
const char *printed_text(const struct printed *printed, size_t row);

/* The number of a {name}; PRINTED_NAMES if no row has it. */
size_t printed_name(const struct printed *printed, const char *name);

/* True if the instruction, one of those before a loop, writes the register, at any width. */
bool printed_sets(const struct isa *isa, const char *text, int index);

/* True for equal instructions with equal registers and, if numbers is set, equal numbers. */
bool printed_same(const struct isa *isa, const char *a, const char *b, bool numbers);

void printed_free(struct printed *printed);

#endif
