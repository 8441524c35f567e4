/* What the manifest states about a program's operations: the features they need, and their operand registers.
 */
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

/* Those of all such behaviours, from the arena, so that they can be recounted from the code. Returns how many
 * there are. */
size_t emit_operations_operands(const struct plan *plan, const struct template *templates,
                                struct arena *arena, struct operand_registers **operands);

#endif
