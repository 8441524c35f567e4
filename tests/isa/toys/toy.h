/* A second ISA, as the tests of the seam know it: its row of the registry, and what it must make of a few
 * lines. */
#ifndef TESTS_ISA_TOYS_TOY_H
#define TESTS_ISA_TOYS_TOY_H

#include "isa/isa.h"

/* An instruction that reads or writes memory, or does neither, as the disassembler prints it. */
struct toy_count {
    const char *text, *name;
};

/* A distance in bytes from the first branch to its label, and whether the field holds it. */
struct toy_branch {
    const char *text; /* the instruction, without its label */
    int64_t distance;
    bool reaches;
};

struct toy {
    const struct isa *isa;
    const char *home;     /* from tests/isa/toys/: has templates/<isa>/ */
    size_t registers;     /* the ISA's first ones, which rows take; 0: all */
    const char *qemu;     /* the program that runs its executables */
    const char *rows[24]; /* instructions with {r} for registers and {n} for a number; ends with NULL */
    const char *lines;    /* with comments, labels and directives */
    struct toy_branch branches[12]; /* ends with a text of NULL */
    struct toy_count counts[8];     /* ends with a text of NULL */
    const char *address;            /* 64 bytes from the first register */
};

#endif
