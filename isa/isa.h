/* An instruction set: a table of names and numbers used by LLVM MC, libelf and the emission. A new one needs
 * a folder here, a folder in templates/ and a row in isa.c. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include "isa/numbers.h"
#include "isa/text_rules.h"

#include <stdbool.h>
#include <stddef.h>

enum { REGISTER_VIEWS = 3 };

/* The name for a part of a register with this many bits. */
struct register_view {
    unsigned bits;
    const char *name;
};

/* A register's name, and those of its other widths. A vector register is listed under its narrowest name. */
struct register_name {
    const char *whole;
    struct register_view views[REGISTER_VIEWS]; /* ends with bits 0 */
};

struct isa {
    const char *name;     /* "x86_64"; also the folder under templates/ and a recipe's target */
    const char *skeleton; /* the file there from which programs are expanded */
    const char *start;    /* start code of standalone programs; NULL: a runner starts them */
    bool gpu;             /* runs on a grid of threads */
    const char *line_end; /* ends an instruction in a GPU's text: ";" */
    const char *beside;   /* another ISA in which its programs are also written; NULL: none */
    unsigned plain_width; /* bytes of an operation if the row's name has no width */
    const char *triple;   /* for LLVM; NULL: LLVM does not assemble this */
    const char *cpu; /* baseline that generated code may assume; fixed, so that bytes do not vary by host */
    const char *register_prefix;
    const struct register_name *registers;
    size_t register_count;
    unsigned elf_machine;                 /* EM_X86_64 */
    char comment;                         /* starts a comment that extends to the line's end */
    const struct number_classes *numbers; /* [NUMBER_KINDS] */
    const struct text_rules *text_rules;  /* for users' own instructions; NULL: not supported */

    /* Initialises LLVM's assembler and disassembler for it; may be called repeatedly. */
    void (*prepare)(void);
};

extern const struct isa isa_x86_64;
extern const struct isa isa_ptx;
extern const struct isa isa_gcn;
extern const struct isa isa_opencl;

/* The table; NULL-terminated. */
extern const struct isa *const isa_table[];

/* The register with this name, without prefix, at any of its widths, or NULL. */
const struct register_name *isa_register(const struct isa *isa, const char *name, size_t length);

/* The ISA of that name, or NULL. */
const struct isa *isa_find(const char *name);

#endif
