/* Emission of a loop with code{}: its chunks in the order of their addresses, each with the jump to the next
 * one at its end, and the table by which the loop's bytes are found again. */
#ifndef GENERATOR_EMIT_CODE_EMIT_H
#define GENERATOR_EMIT_CODE_EMIT_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/code_plan.h"
#include "isa/template.h"

/* What stands between chunks in the text of a loop's body. */
enum { CODE_CUT = '\f' };

struct code_text {
    const char *body;               /* of all units, with a CODE_CUT in the place of each code{} */
    const char *advance;            /* what closes a pass, before the back edge */
    const struct binding *bindings; /* [count]: of the emission */
    size_t count;
};

/* Says, as a comment of the program's head, how many lines miss and why. */
void code_emit_header(const struct plan *plan, struct buffer *source);

/* Appends the chunks to *area and the table of chunks to *table. */
enum status code_emit(const struct plan *plan, const struct template *templates, const struct code_text *text,
                      struct buffer *area, struct buffer *table, struct error *error);

#endif
