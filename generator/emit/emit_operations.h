/* For the manifest: the features that a program's operations need, and the registers of their operands. */
#ifndef GENERATOR_EMIT_EMIT_OPERATIONS_H
#define GENERATOR_EMIT_EMIT_OPERATIONS_H

#include "base/arena.h"
#include "generator/plan/plan.h"
#include "generator/plan/plan_forms.h"
#include "isa/template.h"

#include <stddef.h>

/* The features that the program's rows need, each once, from the arena: "avx2", ... */
const char **emit_operations_features(const struct plan *plan, const struct template *templates,
                                      const struct form_tally *tally, struct arena *arena, size_t *count);

/* The registers that hold the operands of a behaviour with the recipe's data. */
struct operand_registers {
    unsigned behaviour; /* from 1 */
    const char *op;     /* the kernel's */
    unsigned bits;
    const char **names;
    size_t count;
};

/* The registers of all such behaviours, from the arena, so that their words can be counted again from the
 * code. Returns their number. */
size_t emit_operations_operands(const struct plan *plan, const struct template *templates,
                                struct arena *arena, struct operand_registers **operands);

#endif
