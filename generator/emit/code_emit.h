/* Emission of a loop with code{}: its chunks in address order, each ending with a jump to the next, and the
 * table that locates the loop's bytes. */
#ifndef GENERATOR_EMIT_CODE_EMIT_H
#define GENERATOR_EMIT_CODE_EMIT_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/emit/bindings.h"
#include "generator/plan/code/code_plan.h"

/* The separator between chunks in the text of a loop's body, and the numbered label after the first branch of
 * a chunk's twin. */
enum { CODE_CUT = '\f', CODE_TWIN_LABEL = 6 };

struct code_text {
    const char *body;                /* all units, with a CODE_CUT for each code{} */
    const char *twin;                /* the same for the chunks' twins; NULL: no branches */
    const char *advance;             /* the code that closes a pass, before the back edge */
    const struct bindings *bindings; /* the emission's */
};

/* Appends a comment for the program's header on the lines that miss. comment: the text that starts a comment.
 */
void code_emit_header(const struct plan *plan, const char *comment, struct buffer *source);

/* Appends the chunks to *area and the table of chunks to *table. */
enum status code_emit(const struct plan *plan, const struct code_text *text, struct buffer *area,
                      struct buffer *table);

#endif
