/* An instruction set: a table of names and numbers that LLVM MC, libelf and the emission read. A new one is a
 * folder here, a folder in templates/ and a row in isa.c. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include "isa/numbers.h"
#include "isa/text_rules.h"

#include <stdbool.h>
#include <stddef.h>

enum { REGISTER_VIEWS = 3 };

/* The name under which so many bits of a register are reached. */
struct register_view {
    unsigned bits;
    const char *name;
};

/* A register: what it is called, and its other widths. A vector register goes by its narrowest name. */
struct register_name {
    const char *whole;
    struct register_view views[REGISTER_VIEWS]; /* ends with bits 0 */
};

struct isa {
    const char *name;     /* "x86_64"; also the folder under templates/ and a recipe's target */
    const char *skeleton; /* the file there that a program is filled in from */
    const char *start;    /* what runs it where it is a program of its own; NULL: a runner does */
    bool gpu;             /* a grid of threads runs it */
    const char *line_end; /* of an instruction in a GPU's text: ";" */
    const char *beside;   /* another ISA whose text its programs have too; NULL: none */
    unsigned plain_width; /* bytes of an operation whose row's name has no width */
    const char *triple;   /* for LLVM; NULL: it does not assemble this */
    const char *cpu; /* the least that generated code may assume; fixed, so that bytes do not vary by host */
    const char *register_prefix;
    const struct register_name *registers;
    size_t register_count;
    unsigned elf_machine;                 /* EM_X86_64 */
    char comment;                         /* begins one, up to the line's end */
    const struct number_classes *numbers; /* [NUMBER_KINDS] */
    const struct text_rules *text_rules;  /* for users' own instructions; NULL: it takes none */

    /* Makes LLVM's assembler and disassembler for it ready; may be called again. */
    void (*prepare)(void);
};

extern const struct isa isa_x86_64;
extern const struct isa isa_ptx;
extern const struct isa isa_gcn;
extern const struct isa isa_opencl;

/* The table; NULL-terminated. */
extern const struct isa *const isa_table[];

/* The register that goes by this name, without prefix, at any of its widths; NULL when there is none. */
const struct register_name *isa_register(const struct isa *isa, const char *name, size_t length);

/* The ISA of that name, or NULL. */
const struct isa *isa_find(const char *name);

#endif
