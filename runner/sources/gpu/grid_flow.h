/* Compares the loop of a GPU program, instruction by instruction, with the kernel that its manifest states:
 * which operation comes when, which of them consume a load, and of which load, and which form chains. */
#ifndef RUNNER_SOURCES_GPU_GRID_FLOW_H
#define RUNNER_SOURCES_GPU_GRID_FLOW_H

#include "generator/suite/manifest_read.h"
#include "isa/template.h"

enum { GRID_SPANS = 16 };

enum grid_step_kind { GRID_OTHER, GRID_LOAD, GRID_STORE, GRID_ATOMIC };

/* Registers in sequence, numbered as the caller likes. */
struct grid_span {
    unsigned first, count;
};

/* One instruction of the loop. */
struct grid_step {
    enum grid_step_kind kind;
    const char *name; /* as the templates' rows have it */
    const char *also; /* its name in other generations, which the rows may have; NULL: none */
    const char *text; /* of a program of text: the whole statement, up to a semicolon; NULL: machine code */
    bool link;        /* of a load: it reads where other accesses go on, and no operation consumes it */
    bool waits;       /* it waits for loads */
    bool has_number;
    int32_t number;                                         /* of one that idles: how long */
    struct grid_span reads[GRID_SPANS], writes[GRID_SPANS]; /* count 0: none */
    int line;                                               /* of program.ptx; 0: none */
    uint64_t offset;                                        /* of the code, in bytes */
};

/* Checks the steps of one pass in their order, of machine code or of text. Of text every statement is held
 * against that of its row, with its operands. A kernel with a text of its own (asm{}) is not compared.
 * *of_units, unless NULL: how many of the steps, from the first, the units have; 0 if they were not compared.
 * STATUS_FAILED names the instruction, what it is and what it would be. */
enum status grid_flow_check(const struct manifest *manifest, const struct machine *machine,
                            const struct template *templates, const struct grid_step *steps, size_t count,
                            size_t *of_units, struct error *error);

#endif
