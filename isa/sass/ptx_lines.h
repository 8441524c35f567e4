/* The lines of a PTX text: which statement stands where, and from where to where the measured loop and its
 * units go. It reads no more of PTX than that: what the statements become only the assembler can say. */
#ifndef ISA_SASS_PTX_LINES_H
#define ISA_SASS_PTX_LINES_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Labels that the templates give: the loop's first statement, the first one behind the units, and the one
 * from which on only the back edge is left. The second or third may be missing: the units end at the other.
 */
#define PTX_LABEL_LOOP "TRAUMA_LOOP"
#define PTX_LABEL_ADVANCE "TRAUMA_ADVANCE"
#define PTX_LABEL_CLOSE "TRAUMA_CLOSE"

/* What one line says. */
struct ptx_line {
    unsigned statements;  /* how many; directives, labels and comments are none */
    const char *opcode;   /* the first one's, without its predicate: "ld.global.cg.u64" */
    const char *operands; /* the first one's, in the text, up to its ; */
    bool loops;           /* it branches to the loop's label */
};

/* Lines count from 1; all zeros is empty. Free with ptx_lines_free. */
struct ptx_lines {
    struct ptx_line *lines; /* [count + 1], 0 unused */
    int count;
    int loop, units_end,
        loop_end;       /* loop's statements stand in [loop, loop_end], units' in [loop, units_end) */
    struct arena arena; /* of the opcodes */
};

/* Reads the text, which must stay as long as *lines is used. STATUS_FAILED when it has no loop with the
 * labels above, or when one of the loop's lines holds several statements: a disassembler tells lines only. */
enum status ptx_lines_read(const char *text, size_t size, struct ptx_lines *lines, struct error *error);

void ptx_lines_free(struct ptx_lines *lines);

#endif
