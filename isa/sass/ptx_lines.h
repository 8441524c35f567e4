/* The lines of a PTX text: the statements on each, and the extent of the measured loop and its units. Parses
 * no more of PTX, because only the assembler determines the machine code of a statement. */
#ifndef ISA_SASS_PTX_LINES_H
#define ISA_SASS_PTX_LINES_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Labels in the templates: at the loop's first statement, at the first statement after the units, and before
 * the branch back. The second or the third may be missing; the units then end at the other. */
#define PTX_LABEL_LOOP "TRAUMA_LOOP"
#define PTX_LABEL_ADVANCE "TRAUMA_ADVANCE"
#define PTX_LABEL_CLOSE "TRAUMA_CLOSE"

/* The start of the labels of loops that wait for a phase of bulk copies. */
#define PTX_LABEL_WAIT "TRAUMA_WAIT_"

/* The content of one line. */
struct ptx_line {
    unsigned statements;  /* their number, not counting directives, labels and comments */
    const char *opcode;   /* the first one's, without its predicate: "ld.global.cg.u64" */
    const char *operands; /* the first one's, in the text, up to its semicolon */
    bool loops;           /* it branches to the loop's label */
    bool waits;           /* it branches to a label of a wait */
};

/* Lines count from 1; all zeros is empty. Free with ptx_lines_free. */
struct ptx_lines {
    struct ptx_line *lines; /* [count + 1], 0 unused */
    int count;
    int loop, units_end,
        loop_end;       /* loop's statements are in [loop, loop_end], units' in [loop, units_end) */
    struct arena arena; /* holds the opcodes */
};

/* Reads the text, which must outlive *lines. STATUS_FAILED if it has no loop with the labels above, or a loop
 * line holds several statements, because disassemblers report only lines. */
enum status ptx_lines_read(const char *text, size_t size, struct ptx_lines *lines, struct error *error);

void ptx_lines_free(struct ptx_lines *lines);

#endif
