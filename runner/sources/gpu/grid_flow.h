/* Compares the loop of a GPU program, instruction by instruction, with the kernel that its manifest states:
 * the order of operations, which of them consume a load and which load, and which form chains. */
#ifndef RUNNER_SOURCES_GPU_GRID_FLOW_H
#define RUNNER_SOURCES_GPU_GRID_FLOW_H

#include "generator/suite/manifest_read.h"
#include "isa/template.h"

enum { GRID_SPANS = 16 };

enum grid_step_kind { GRID_OTHER, GRID_LOAD, GRID_STORE, GRID_ATOMIC };

/* Consecutive registers, in the caller's numbering. */
struct grid_span {
    unsigned first, count;
};

/* One instruction of the loop. */
struct grid_step {
    enum grid_step_kind kind;
    const char *name; /* as in the templates' rows */
    const char *also; /* its name in other generations, which rows may use; NULL: none */
    const char *text; /* of a program of text: the whole statement, up to a semicolon; NULL: machine code */
    bool link;        /* of a load: it reads the place of further accesses, and no operation consumes it */
    bool waits;       /* it waits for loads */
    bool has_number;
    int32_t number;                                         /* of an idle instruction: its length */
    struct grid_span reads[GRID_SPANS], writes[GRID_SPANS]; /* count 0: none */
    int line;                                               /* of program.ptx; 0: none */
    uint64_t offset;                                        /* of the code, in bytes */
};

/* True for the name of an operation: not for that of an access, a branch, or a variant of a row. */
bool grid_flow_is_operation(const char *op);

/* True if the kernel has asm{}: it is then not compared. */
bool grid_flow_has_asm(const struct manifest *manifest);

/* Checks the steps of one pass in their order, of machine code or of text. For text, every statement and its
 * operands are compared with the row's. A kernel with a text of its own (asm{}) is not compared. *of_units,
 * unless NULL: how many of the first steps belong to units; 0: not compared. STATUS_FAILED with the
 * instruction, what was found, and what was expected. */
enum status grid_flow_check(const struct manifest *manifest, const struct machine *machine,
                            const struct template *templates, const struct grid_step *steps, size_t count,
                            size_t *of_units, struct error *error);

#endif
